import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Bucket, openBucket } from "./object-store.ts";
import { type ObjectHarness, openObjectHarness } from "./testing/object-harness.ts";
import { type S3Server, startS3 } from "./testing/start-s3.ts";

describe("a move in an object store", () => {
  let server: S3Server;
  let bucket: Bucket;
  beforeAll(async () => {
    server = await startS3();
    bucket = openBucket({ ...server.options, attempts: 1 });
  });
  afterEach(() => server.failAfter(undefined));
  afterAll(async () => {
    bucket.close();
    await server.close();
  });

  const names = ["a.md", "b.md", "deep/c.md"];
  async function openWithFolder(): Promise<ObjectHarness> {
    const harness = openObjectHarness(bucket);
    for (const name of names) await harness.files.writeText(`trip/${name}`, name, { expect: "absent" });
    return harness;
  }
  const keysIn = async (harness: ObjectHarness, folder: string): Promise<string[]> =>
    (await harness.keys()).filter((key) => key.startsWith(`${folder}/`) && !key.endsWith("/"));
  const under = (folder: string): string[] => names.map((name) => `${folder}/${name}`);

  it("is undone or completed by the next change if it was interrupted after any number of requests", async () => {
    const whole = await openWithFolder();
    const before = server.requests.length;
    await whole.files.move("trip", "moved", { overwrite: false });
    const requests = server.requests.length - before;
    expect(requests).toBeGreaterThan(10);
    let undone = 0;
    for (let count = 0; count < requests; count += 1) {
      const harness = await openWithFolder();
      server.failAfter(count);
      await expect(harness.files.move("trip", "moved", { overwrite: false })).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
      });
      server.failAfter(undefined);
      // Nothing is ever missing in between.
      const [left, arrived] = [await keysIn(harness, "out/trip"), await keysIn(harness, "out/moved")];
      for (const name of names)
        expect([...left, ...arrived].some((key) => key.endsWith(`/${name}`))).toBe(true);
      await harness.files.writeText("next.md", "x", { expect: "absent" });
      const after = [await keysIn(harness, "out/trip"), await keysIn(harness, "out/moved")];
      if (after[1]?.length === 0) undone += 1;
      expect([
        [under("out/trip"), []],
        [[], under("out/moved")],
      ]).toContainEqual(after);
      expect(await keysIn(harness, "memory/archive/moves")).toEqual([]);
    }
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(requests);
  }, 60_000);

  it("of a file leaves it in one place if it was interrupted", async () => {
    for (let count = 0; count < 12; count += 1) {
      const harness = openObjectHarness(bucket);
      await harness.files.writeText("a.md", "text", { expect: "absent" });
      server.failAfter(count);
      const moved = await harness.files.move("a.md", "b.md", { overwrite: false }).catch(() => undefined);
      server.failAfter(undefined);
      await harness.files.writeText("next.md", "x", { expect: "absent" });
      const texts = await Promise.all(
        ["out/a.md", "out/b.md"].map((path) => harness.stored.get(path).catch(() => undefined)),
      );
      expect(texts.filter((text) => text !== undefined)).toEqual(["text"]);
      if (moved) expect(texts).toEqual([undefined, "text"]);
    }
  }, 60_000);

  it("keeps what another program wrote into the folder meanwhile", async () => {
    const harness = await openWithFolder();
    const verify = async (): Promise<void> => harness.stored.put("out/trip/late.md", "late");
    await harness.files.move("trip", "moved", { overwrite: false, verify });
    const keys = await harness.keys();
    expect(keys.filter((key) => key.endsWith("/late.md"))).toHaveLength(1);
  });
});
