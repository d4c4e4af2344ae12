import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { anyHostilePath, hostilePaths } from "../../paths/suite/hostile-paths.ts";
import { OUTSIDE } from "./bench.ts";
import type { Bench } from "./bench.ts";

/** What may remain outside of the workspace if a folder is swapped at the moment of a write. */
export type SwapsLeave = "nothing" | "temporary files";

/**
 * Tests that every path out of the workspace throws `PATH_OUTSIDE_WORKSPACE` and that nothing outside is read or
 * changed.
 */
export function describeAttacks(bench: Bench, swapsLeave: SwapsLeave): void {
  describe("attacks", () => {
    const secret = "top secret";
    let before: string[];
    beforeEach(async () => {
      await writeFile(join(bench.space.outside, "secret.txt"), secret);
      await mkdir(join(bench.space.outside, "folder"));
      await writeFile(join(bench.space.outside, "folder/inner.txt"), secret);
      await bench.put("mine.md", "mine");
      before = (await readdir(bench.space.outside, { recursive: true })).sort();
    });
    /** Every method that takes a path. */
    const uses = {
      readText: (path: string) => bench.space.files.readText(path, { maxBytes: 100 }),
      open: (path: string) =>
        bench.space.files.open(path, async (file) => await Array.fromAsync(file.chunks())),
      state: (path: string) => bench.space.files.state(path),
      existing: (path: string) => bench.space.files.existing(path),
      freePath: (path: string) => bench.space.files.freePath(path),
      list: (path: string) => bench.space.files.list(path, { recursive: true, limit: 10 }),
      writeAny: (path: string) => bench.space.files.writeText(path, "evil", { expect: "any" }),
      writeNew: (path: string) => bench.space.files.writeText(path, "evil", { expect: "absent" }),
      appendText: (path: string) => bench.space.files.appendText(path, "evil"),
      moveFrom: (path: string) => bench.space.files.move(path, "stolen.md", { overwrite: true }),
      moveTo: (path: string) => bench.space.files.move("mine.md", path, { overwrite: true }),
      moveNew: (path: string) => bench.space.files.move("mine.md", path, { overwrite: false }),
    };
    type Use = keyof typeof uses;
    const everyUse = Object.keys(uses).filter((use): use is Use => use in uses);
    const allRefuse = async (path: string, except: readonly Use[] = []): Promise<void> => {
      for (const use of everyUse.filter((one) => !except.includes(one))) {
        await expect(uses[use](path), `${use} of ${JSON.stringify(path)}`).rejects.toEqual(OUTSIDE);
      }
      await nothingHappened();
    };
    const nothingHappened = async (but?: RegExp): Promise<void> => {
      const there = (await readdir(bench.space.outside, { recursive: true })).sort();
      expect(there.filter((name) => but?.test(name) !== true)).toEqual(before);
      expect(await readFile(join(bench.space.outside, "secret.txt"), "utf8")).toBe(secret);
      expect(await readFile(join(bench.space.outside, "folder/inner.txt"), "utf8")).toBe(secret);
      expect(await bench.get("mine.md")).toBe("mine");
    };

    it("rejects every hostile path in every argument and changes nothing", async () => {
      for (const path of hostilePaths) {
        await allRefuse(path);
        expect(() => bench.space.files.resolve(path)).toThrow(OUTSIDE);
      }
      expect(await readdir(bench.space.out)).toEqual(["mine.md"]);
    });

    it("rejects generated hostile paths in every argument", async () => {
      await fc.assert(
        fc.asyncProperty(anyHostilePath, (path) => allRefuse(path)),
        { numRuns: 60 },
      );
      expect(await readdir(bench.space.out)).toEqual(["mine.md"]);
    });

    it("follows no symbolic link, to a file or through a folder, dangling or not", async () => {
      await symlink(join(bench.space.outside, "secret.txt"), join(bench.space.out, "link.md"));
      await symlink(join(bench.space.outside, "absent.txt"), join(bench.space.out, "dangling.md"));
      await symlink(join(bench.space.outside, "folder"), join(bench.space.out, "way"));
      await symlink(join(bench.space.out, "mine.md"), join(bench.space.out, "inner.md"));
      for (const path of [
        "link.md",
        "dangling.md",
        "way",
        "inner.md",
        "way/inner.txt",
        "way/new.txt",
        "way/new/deep.txt",
      ]) {
        await allRefuse(path);
      }
    });

    it("rejects a file with a second hard link", async () => {
      await link(join(bench.space.outside, "secret.txt"), join(bench.space.out, "hard.md"));
      // It is not a folder, so listing it fails in any case.
      await allRefuse("hard.md", ["list"]);
      const { entries } = await bench.space.files.list("out", { recursive: false, limit: 10 });
      expect(entries.find((entry) => entry.name === "hard.md")).toMatchObject({ kind: "other", bytes: 0 });
    });

    it("lists links without their targets", async () => {
      await symlink(join(bench.space.outside, "folder"), join(bench.space.out, "way"));
      const { entries } = await bench.space.files.list("out", { recursive: true, limit: 10 });
      expect(entries.map(({ path, kind, bytes }) => ({ path, kind, bytes }))).toEqual([
        { path: "out/mine.md", kind: "file", bytes: 4 },
        { path: "out/way", kind: "other", bytes: 0 },
      ]);
    });

    it.skipIf(process.platform === "win32")("does not hang on a pipe", async () => {
      execFileSync("mkfifo", [join(bench.space.out, "pipe")]);
      await expect(bench.read("pipe")).rejects.toEqual(OUTSIDE);
      await expect(bench.write("pipe", "x", "any")).rejects.toEqual(OUTSIDE);
    });

    it("never leaves the workspace while folders and links are swapped", async () => {
      await mkdir(join(bench.space.out, "swap"));
      await writeFile(join(bench.space.out, "swap/inner.txt"), "harmless");
      const folder = join(bench.space.out, "swap");
      const carryOn = (): void => undefined;
      const swap = { goesOn: true };
      const swapper = (async () => {
        while (swap.goesOn) {
          await rm(folder, { recursive: true, force: true }).catch(carryOn);
          await symlink(join(bench.space.outside, "folder"), folder).catch(carryOn);
          await rm(folder, { recursive: true, force: true }).catch(carryOn);
          await mkdir(folder).catch(carryOn);
          await writeFile(join(folder, "inner.txt"), "harmless").catch(carryOn);
        }
      })();
      for (let turn = 0; turn < 60; turn += 1) {
        const [text] = await Promise.allSettled([
          bench.read("swap/inner.txt"),
          bench.write(`swap/new-${turn}.txt`, "evil"),
          bench.space.files.appendText("swap/log.txt", "evil"),
        ]);
        // The file is rewritten in every iteration, so it may be read while empty.
        if (text.status === "fulfilled") expect(["", "harmless"]).toContain(text.value.content);
      }
      swap.goesOn = false;
      await swapper;
      await nothingHappened(swapsLeave === "nothing" ? undefined : /\.mh-\d+-[0-9a-f]{12}\.tmp$/);
    });
  });
}
