import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profilePaths, type ProfilePaths } from "../paths/profile-paths.ts";
import { createProfileQuota, type StoredAmount } from "./profile-quota.ts";

let home: string;
let paths: ProfilePaths;
let limits: { maxBytes: number; maxFiles: number };
let now: Date;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "quota-"));
  paths = profilePaths(home, "ada");
  limits = { maxBytes: 1_000, maxFiles: 10 };
  now = new Date("2026-11-22T12:00:00.000Z");
  await put(join(paths.out, "a.txt"), 100);
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function put(path: string, bytes: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, Buffer.alloc(bytes));
}

const open = () => {
  const quota = createProfileQuota({
    paths,
    limits: () => limits,
    onProblem: (_message, error) => {
      throw error;
    },
    clock: () => now,
  });
  return {
    usage: () => quota.usage(),
    reserve: (added: StoredAmount, subject: string, written: Promise<void> = Promise.resolve()) =>
      quota.write(added, subject, () => written),
  };
};

describe("a profile's quota", () => {
  it("counts workspace, memory and archive, but no derived files", async () => {
    await put(join(paths.inbox, "deep/b.txt"), 50);
    await put(join(paths.memory.archive.files, "x/payload"), 25);
    await put(paths.memory.index, 5_000);
    await put(paths.stateDatabase, 5_000);
    expect(await open().usage()).toEqual({ bytes: 175, files: 3, ...limits });
  });

  it("rejects a write that exceeds the bytes or files, with the difference", async () => {
    const quota = open();
    await expect(quota.reserve({ bytes: 901, files: 1 }, "out/b.txt")).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
      message:
        "out/b.txt does not fit into this profile: 100 of 1000 bytes are used, and 901 more are needed.",
      context: { needed: { bytes: 901, files: 1 } },
    });
    await expect(quota.reserve({ bytes: 1, files: 10 }, "the memories")).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
    });
    await quota.reserve({ bytes: 900, files: 1 }, "out/b.txt");
  });

  it("includes reserved amounts, and counts again before it rejects a write", async () => {
    const quota = open();
    await quota.reserve({ bytes: 600, files: 1 }, "out/b.txt");
    await put(join(paths.out, "b.txt"), 600);
    await expect(quota.reserve({ bytes: 400, files: 1 }, "out/c.txt")).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
    });
    await rm(join(paths.out, "b.txt"));
    await quota.reserve({ bytes: 400, files: 1 }, "out/c.txt");
  });

  it("admits only as many concurrent writes as fit", async () => {
    const quota = open();
    const { promise: written, resolve } = Promise.withResolvers<void>();
    const asked = Array.from({ length: 5 }, () =>
      quota.reserve({ bytes: 300, files: 1 }, "the memory", written),
    );
    // Which two are refused depends on whose read of the stored count ends first.
    const refused = asked.map((one) =>
      one.then(
        () => "written",
        () => "refused",
      ),
    );
    expect(await Promise.race(refused)).toBe("refused");
    resolve();
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === "fulfilled").length).toBe(3);
  });

  it("uses the stored count of an earlier process for a day while much space is left", async () => {
    await open().usage();
    await put(join(paths.out, "unseen.txt"), 950);
    await open().reserve({ bytes: 10, files: 1 }, "out/b.txt");
    await expect(open().reserve({ bytes: 750, files: 1 }, "out/b.txt")).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
    });
    await rm(join(paths.out, "unseen.txt"));
    await open().usage();
    await put(join(paths.out, "unseen.txt"), 950);
    now = new Date(now.getTime() + 25 * 3_600_000);
    await expect(open().reserve({ bytes: 10, files: 1 }, "out/b.txt")).rejects.toMatchObject({
      code: "QUOTA_EXCEEDED",
    });
  });
});
