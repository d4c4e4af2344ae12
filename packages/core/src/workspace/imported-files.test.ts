import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { WorkspaceFiles } from "./files.ts";
import { followImports, followImportsInArchive, importedPaths } from "./imported-files.ts";
import { type LocalWorkspace, openLocalWorkspace } from "./open-local-workspace.ts";

let home: string;
let workspace: LocalWorkspace;
let files: WorkspaceFiles;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "imported-"));
  workspace = await openLocalWorkspace({
    out: join(home, "out"),
    inbox: join(home, "inbox"),
    archive: join(home, "archive"),
  });
  files = followImports(workspace.files);
});
afterEach(async () => {
  workspace.close();
  await rm(home, { recursive: true, force: true });
});

async function put(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), content);
}
const read = async (path: string) => await files.readText(path, { maxBytes: 100 });

describe("an imported file", () => {
  it("is read by its former path, and the result has its present one", async () => {
    await put("inbox/processed/2026-03-01/club/fees.csv", "a,b");
    expect(await read("inbox/club/fees.csv")).toMatchObject({
      path: "inbox/processed/2026-03-01/club/fees.csv",
      content: "a,b",
    });
    expect(await files.existing("inbox/club/fees.csv")).toMatchObject({ kind: "file", bytes: 3 });
    expect(await files.open("inbox/club/fees.csv", async ({ path }) => path)).toContain("processed");
    const { matches } = await files.search("a,b", { path: "inbox/club/fees.csv", limit: 5 });
    expect(matches).toMatchObject([{ path: "inbox/processed/2026-03-01/club/fees.csv", text: "a,b" }]);
  });

  it("is the one that was imported last if several had the path", async () => {
    await put("inbox/processed/2026-03-01/fees.csv", "first");
    await put("inbox/processed/2026-03-01T101500/fees.csv", "second, on the same day");
    await put("inbox/processed/2025-12-31/fees.csv", "last year");
    expect((await read("inbox/fees.csv")).content).toBe("second, on the same day");
  });

  it("is copied and moved by its former path", async () => {
    await put("inbox/processed/2026-03-01/fees.csv", "a,b");
    await files.copy("inbox/fees.csv", "out/copy.csv", { overwrite: false });
    expect((await read("out/copy.csv")).content).toBe("a,b");
    await files.move("inbox/fees.csv", "out/fees.csv", { overwrite: false });
    await expect(read("inbox/fees.csv")).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
  });

  it("gets its earlier text back at its present path", async () => {
    await put("inbox/fees.csv", "earlier");
    const archive = followImportsInArchive(workspace.archive, files);
    const { id } = await archive.keepCopy("inbox/fees.csv", {});
    await put("inbox/processed/2026-03-01/fees.csv", "later");
    await rm(join(home, "inbox/fees.csv"));
    const { restored, replaced } = await archive.restore(id, { replace: true });
    expect(restored.origin).toBe("inbox/processed/2026-03-01/fees.csv");
    expect(replaced).toMatchObject({ origin: "inbox/processed/2026-03-01/fees.csv" });
    expect((await read("inbox/fees.csv")).content).toBe("earlier");
    await expect(workspace.files.existing("inbox/fees.csv")).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
    });
  });

  it("gives way to a file that has the path now", async () => {
    await put("inbox/processed/2026-03-01/fees.csv", "old");
    await put("inbox/fees.csv", "new");
    expect((await read("inbox/fees.csv")).content).toBe("new");
  });
});

it("finds no file of another name or another root", async () => {
  await put("inbox/processed/2026-03-01/fees.csv", "a,b");
  for (const path of [
    "inbox/fee.csv",
    "out/fees.csv",
    "inbox/2026-03-01/fees.csv",
    "inbox/processed/fees.csv",
  ])
    await expect(read(path)).rejects.toMatchObject({ code: "FILE_NOT_FOUND" });
});

it("gives a second file of one path and day a folder of its own, which sorts after the first", () => {
  const [ofDay, ofMoment] = importedPaths("inbox/a.md", new Date("2026-03-01T10:15:30.500Z"));
  expect([ofDay, ofMoment]).toEqual([
    "inbox/processed/2026-03-01/a.md",
    "inbox/processed/2026-03-01T101530/a.md",
  ]);
});
