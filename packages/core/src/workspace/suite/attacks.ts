import { execFileSync } from "node:child_process";
import { link, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { anyHostilePath, hostilePaths } from "../../paths/suite/hostile-paths.ts";
import { OUTSIDE, type Harness } from "./harness.ts";

/** What may remain outside of the workspace if a folder is swapped at the moment of a write. */
export type SwapsLeave = "nothing" | "temporary files";

const SECRET = "top secret";

/** Prepares a secret outside of the workspace before each test, and returns what checks that it stays there. */
function prepareAttacks(harness: Harness) {
  let before: string[];
  const namesOutside = async (): Promise<string[]> => [
    ...(await harness.space.stored.names("outside")),
    ...(await harness.space.stored.names("outside/folder")),
  ];
  beforeEach(async () => {
    await harness.space.stored.makeFolder("outside/folder");
    await harness.space.stored.put("outside/secret.txt", SECRET);
    await harness.space.stored.put("outside/folder/inner.txt", SECRET);
    await harness.put("mine.md", "mine");
    before = await namesOutside();
  });

  /** Every method that takes a path. */
  const uses = {
    readText: (path: string) => harness.space.files.readText(path, { maxBytes: 100 }),
    open: (path: string) =>
      harness.space.files.open(path, async (file) => await Array.fromAsync(file.chunks())),
    state: (path: string) => harness.space.files.state(path),
    existing: (path: string) => harness.space.files.existing(path),
    freePath: (path: string) => harness.space.files.freePath(path),
    list: (path: string) => harness.space.files.list(path, { recursive: true, limit: 10 }),
    writeAny: (path: string) => harness.space.files.writeText(path, "evil", { expect: "any" }),
    writeNew: (path: string) => harness.space.files.writeText(path, "evil", { expect: "absent" }),
    appendText: (path: string) => harness.space.files.appendText(path, "evil"),
    moveFrom: (path: string) => harness.space.files.move(path, "stolen.md", { overwrite: true }),
    moveTo: (path: string) => harness.space.files.move("mine.md", path, { overwrite: true }),
    moveNew: (path: string) => harness.space.files.move("mine.md", path, { overwrite: false }),
  };
  type Use = keyof typeof uses;
  const everyUse = Object.keys(uses).filter((use): use is Use => use in uses);

  async function expectNothingChanged(except?: RegExp): Promise<void> {
    expect((await namesOutside()).filter((name) => except?.test(name) !== true)).toEqual(before);
    expect(await harness.space.stored.get("outside/secret.txt")).toBe(SECRET);
    expect(await harness.space.stored.get("outside/folder/inner.txt")).toBe(SECRET);
    expect(await harness.get("mine.md")).toBe("mine");
  }

  async function expectRejected(path: string, except: readonly Use[] = []): Promise<void> {
    for (const use of everyUse.filter((one) => !except.includes(one)))
      await expect(uses[use](path), `${use} of ${JSON.stringify(path)}`).rejects.toEqual(OUTSIDE);
  }

  async function expectRefused(path: string, except: readonly Use[] = []): Promise<void> {
    await expectRejected(path, except);
    await expectNothingChanged();
  }

  return { expectRejected, expectRefused, expectNothingChanged };
}

/**
 * Tests that every path out of the workspace throws `PATH_OUTSIDE_WORKSPACE` and that nothing outside is read or
 * changed.
 */
export function describeHostilePaths(harness: Harness): void {
  describe("hostile paths", () => {
    const { expectRejected, expectNothingChanged } = prepareAttacks(harness);

    it("are rejected in every argument and change nothing", async () => {
      for (const path of hostilePaths) {
        await expectRejected(path);
        expect(() => harness.space.files.resolve(path)).toThrow(OUTSIDE);
      }
      await expectNothingChanged();
      expect(await harness.names("")).toEqual(["mine.md"]);
    });

    it("are rejected when they are generated, and change nothing", async () => {
      await fc.assert(
        fc.asyncProperty(anyHostilePath, (path) => expectRejected(path)),
        { numRuns: 60 },
      );
      await expectNothingChanged();
      expect(await harness.names("")).toEqual(["mine.md"]);
    });
  });
}

/** Tests links and special files in folders, and folders that are swapped. */
export function describeLinks(harness: Harness, swapsLeave: SwapsLeave): void {
  describe("links", () => {
    const { expectRefused, expectNothingChanged } = prepareAttacks(harness);
    const outside = (name: string): string => join(harness.folders.outside, name);
    const out = (name: string): string => join(harness.folders.out, name);

    it("are not followed, to a file or through a folder, dangling or not", async () => {
      await symlink(outside("secret.txt"), out("link.md"));
      await symlink(outside("absent.txt"), out("dangling.md"));
      await symlink(outside("folder"), out("way"));
      await symlink(out("mine.md"), out("inner.md"));
      for (const path of [
        "link.md",
        "dangling.md",
        "way",
        "inner.md",
        "way/inner.txt",
        "way/new.txt",
        "way/new/deep.txt",
      ]) {
        await expectRefused(path);
      }
    });

    it("are rejected as second names of a file", async () => {
      await link(outside("secret.txt"), out("hard.md"));
      // It is not a folder, so listing it fails in any case.
      await expectRefused("hard.md", ["list"]);
      const { entries } = await harness.space.files.list("out", { recursive: false, limit: 10 });
      expect(entries.find((entry) => entry.name === "hard.md")).toMatchObject({ kind: "other", bytes: 0 });
    });

    it("are listed without their targets", async () => {
      await symlink(outside("folder"), out("way"));
      const { entries } = await harness.space.files.list("out", { recursive: true, limit: 10 });
      expect(entries.map(({ path, kind, bytes }) => ({ path, kind, bytes }))).toEqual([
        { path: "out/mine.md", kind: "file", bytes: 4 },
        { path: "out/way", kind: "other", bytes: 0 },
      ]);
    });

    it.skipIf(process.platform === "win32")("do not hang as a pipe", async () => {
      execFileSync("mkfifo", [out("pipe")]);
      await expect(harness.read("pipe")).rejects.toEqual(OUTSIDE);
      await expect(harness.write("pipe", "x", "any")).rejects.toEqual(OUTSIDE);
    });

    it("lead nowhere while folders and links are swapped", async () => {
      await mkdir(out("swap"));
      await writeFile(out("swap/inner.txt"), "harmless");
      const folder = out("swap");
      const ignoreError = (): void => undefined;
      const swap = { goesOn: true };
      const swapper = (async () => {
        while (swap.goesOn) {
          await rm(folder, { recursive: true, force: true }).catch(ignoreError);
          await symlink(outside("folder"), folder).catch(ignoreError);
          await rm(folder, { recursive: true, force: true }).catch(ignoreError);
          await mkdir(folder).catch(ignoreError);
          await writeFile(join(folder, "inner.txt"), "harmless").catch(ignoreError);
        }
      })();
      for (let turn = 0; turn < 60; turn += 1) {
        const [text] = await Promise.allSettled([
          harness.read("swap/inner.txt"),
          harness.write(`swap/new-${turn}.txt`, "evil"),
          harness.space.files.appendText("swap/log.txt", "evil"),
        ]);
        // The file is rewritten in every iteration, so it may be read while empty.
        if (text.status === "fulfilled") expect(["", "harmless"]).toContain(text.value.content);
      }
      swap.goesOn = false;
      await swapper;
      await expectNothingChanged(swapsLeave === "nothing" ? undefined : /\.mh-\d+-[0-9a-f]{12}\.tmp$/);
    });
  });
}
