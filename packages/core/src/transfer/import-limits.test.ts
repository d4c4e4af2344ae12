import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { readZip } from "./read-zip.ts";
import { openSpace, zipOf, type Space } from "./testing/open-space.ts";

const { signal } = new AbortController();
const applying = { apply: true, replace: false, mayOpenFolders: true, signal };
const bytes = (zip: Buffer) => Readable.from([zip]);
const like = (part: string): unknown => expect.stringContaining(part);

let to: Space;

beforeEach(async () => {
  to = await openSpace();
});
afterEach(() => to.close());

describe("a zip that is too large", () => {
  it("is refused if its files unpack to far more than its own size", async () => {
    const zeros = Buffer.alloc(1_000_000);
    const many = Array.from({ length: 40 }, (_, index): [string, Buffer] => [
      `out/zeros-${index}.bin`,
      zeros,
    ]);
    await expect(to.transfer.import(bytes(await zipOf(Object.fromEntries(many))), applying)).rejects.toThrow(
      InvalidArgsError,
    );
    expect(await readdir(to.paths.out)).toEqual([]);
  });

  it("is refused for the number of its files, and for their size together", async () => {
    const folder = await mkdtemp(join(tmpdir(), "zip-"));
    const path = join(folder, "a.zip");
    await writeFile(path, await zipOf({ "out/a.txt": "12345", "out/b.txt": "12345" }));
    const read = async (limits: { maxEntries?: number; maxTotalBytes?: number }) => {
      const names: string[] = [];
      const most = { maxEntryBytes: 100, maxTotalBytes: 100, maxEntries: 100, ...limits };
      for await (const entry of readZip(path, most)) names.push(entry.path);
      return names.length;
    };
    expect(await read({})).toBe(2);
    await expect(read({ maxEntries: 1 })).rejects.toMatchObject({ message: like("2 files") });
    await expect(read({ maxTotalBytes: 9 })).rejects.toThrow(InvalidArgsError);
    await rm(folder, { recursive: true });
  });

  it("is aborted when reading exceeds the time limit of an import", async () => {
    to.limits.maxImportMs = 0;
    const zip = await zipOf({ "out/a.txt": "a" });
    await expect(to.transfer.import(bytes(zip), applying)).rejects.toMatchObject({ code: "TIMEOUT" });
    expect(await readdir(to.paths.out)).toEqual([]);
  });
});

describe("a backup that exceeds the quota", () => {
  it("is refused before anything is written, unless its files already exist", async () => {
    const zip = await zipOf({ "out/a.bin": Buffer.alloc(5_000, "a"), "out/b.bin": Buffer.alloc(5_000, "b") });
    to.limits.maxBytes = 9_000;
    await expect(to.transfer.import(bytes(zip), applying)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await readdir(to.paths.out)).toEqual([]);
    to.limits.maxBytes = 20_000;
    to.limits.maxFiles = 1;
    await expect(to.transfer.import(bytes(zip), applying)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED" });
    to.limits.maxFiles = 100;
    await to.transfer.import(bytes(zip), applying);
    to.limits.maxBytes = 12_000;
    expect((await to.transfer.import(bytes(zip), applying)).totals).toMatchObject({ unchanged: 2 });
  });
});

describe("an import that ends early", () => {
  it("reports exactly what was imported, in the error and the audit log, and can be repeated", async () => {
    const conversation = { id: `conv-${"0".repeat(26)}`, title: "x", createdAt: "2026-01-01T00:00:00.000Z" };
    const zip = await zipOf({
      "out/a.txt": "a",
      "out/b.txt": "b",
      [`state/conversations/${conversation.id}.json`]: JSON.stringify({
        ...conversation,
        updatedAt: conversation.createdAt,
        messages: [],
      }),
      "out/c.txt": "c",
    });
    to.breakState();
    await expect(to.transfer.import(bytes(zip), applying)).rejects.toMatchObject({
      code: "IMPORT_INCOMPLETE",
      message: like("In place: 2 files."),
      suggestions: [like("again")],
      context: {
        report: {
          applied: true,
          totals: { added: 2, changed: 0 },
          items: [
            { path: "out/a.txt", outcome: "added" },
            { path: "out/b.txt", outcome: "added" },
          ],
        },
      },
    });
    expect((await readdir(to.paths.out)).sort()).toEqual(["a.txt", "b.txt"]);
    expect((await to.audit.search({ event: "profile_import_stopped" })).items).toMatchObject([
      { details: { added: 2, reason: like("") } },
    ]);
    expect((await readdir(to.paths.root)).filter((name) => name.endsWith(".zip"))).toEqual([]);
  });

  it("keeps its error if nothing was written", async () => {
    const stopped = new AbortController();
    stopped.abort(new Error("the person left"));
    const zip = await zipOf({ "out/a.txt": "a" });
    await expect(
      to.transfer.import(bytes(zip), { ...applying, signal: stopped.signal }),
    ).rejects.not.toMatchObject({ code: "IMPORT_INCOMPLETE" });
  });

  it("deletes the zip of a killed process", async () => {
    await writeFile(join(to.paths.root, ".import-0011223344556677.zip"), "half");
    await to.transfer.import(bytes(await zipOf({ "out/a.txt": "a" })), applying);
    expect((await readdir(to.paths.root)).filter((name) => name.endsWith(".zip"))).toEqual([]);
  });
});
