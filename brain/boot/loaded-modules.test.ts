import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("loads nothing for databases and object stores where files are used", async () => {
  const home = await mkdtemp(join(tmpdir(), "loaded-"));
  try {
    const program = join(import.meta.dirname, "testing/list-loaded-modules.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [program, home], {
      maxBuffer: 64 * 2 ** 20,
    });
    const urls = stdout.split("\n").filter((line) => line.startsWith("file:"));
    expect(urls.some((url) => url.endsWith("/brain/boot/file-installation.ts"))).toBe(true);
    const others = /\/packages\/(?:postgres|s3)\/|\/node_modules\/(?:pg|pg-boss|@aws-sdk|@smithy)\//;
    expect(urls.filter((url) => others.test(url))).toEqual([]);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}, 60_000);
