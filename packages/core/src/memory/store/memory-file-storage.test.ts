import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { watchFolders } from "./memory-file-storage.ts";
import type { Subscription } from "./record-storage.ts";

let root: string;
let watch: Subscription | undefined;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "metahuman-watch-"));
});
afterEach(async () => {
  watch?.close();
  await rm(root, { recursive: true });
});

describe("watchFolders", () => {
  it("lets other work run while it lists the folders", async () => {
    for (const year of ["2024", "2025", "2026"])
      await mkdir(join(root, "episodic", year), { recursive: true });
    let isReady = false;
    const changed = Promise.withResolvers<readonly string[]>();
    watch = watchFolders({
      root,
      folders: ["episodic"],
      onFiles: changed.resolve,
      onBulkChange: () => undefined,
      onError: changed.reject,
    });
    const ready = watch.ready.then(() => {
      isReady = true;
    });
    await nextTurn();
    expect(isReady).toBe(false);
    await ready;
    await writeFile(join(root, "episodic", "2025", "pear.json"), "{}");
    expect(await changed.promise).toEqual(["episodic/2025/pear.json"]);
  });

  it("reports what is written in a new folder before its watching begins", async () => {
    await mkdir(join(root, "episodic"));
    let reports = 0;
    const reported = Promise.withResolvers<undefined>();
    watch = watchFolders({
      root,
      folders: ["episodic"],
      onFiles: () => undefined,
      onBulkChange: () => {
        reports += 1;
        reported.resolve(undefined);
      },
      onError: reported.reject,
    });
    await watch.ready;
    await mkdir(join(root, "episodic", "2026", "may"), { recursive: true });
    await writeFile(join(root, "episodic", "2026", "may", "plum.json"), "{}");
    await reported.promise;
    expect(reports).toBe(1);
  });
});
