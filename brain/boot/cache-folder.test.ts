import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { claimCacheFolder } from "./cache-folder.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-cache-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

it("is refused to a second process of the same name until the first one leaves it", async () => {
  const first = await claimCacheFolder(home, "one", { temporary: false });
  await writeFile(join(first.path, "copy"), "kept");
  await expect(claimCacheFolder(home, "one", { temporary: false })).rejects.toThrow(ConfigInvalidError);
  await first.release();
  const next = await claimCacheFolder(home, "one", { temporary: false });
  expect(existsSync(join(next.path, "copy"))).toBe(true);
  await next.release();
});

it("is removed when it is temporary, and when its process has ended", async () => {
  const abandoned = join(home, "profiles", ".cache", "process-of-yesterday");
  await mkdir(abandoned, { recursive: true });
  const running = await claimCacheFolder(home, "one", { temporary: false });
  const command = await claimCacheFolder(home, "command", { temporary: true });
  expect(existsSync(abandoned)).toBe(false);
  expect(existsSync(running.path)).toBe(true);
  await command.release();
  expect(existsSync(command.path)).toBe(false);
  await running.release();
});
