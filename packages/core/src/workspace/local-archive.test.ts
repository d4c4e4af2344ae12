import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArchiveEntry } from "../contract/http.ts";
import { hostilePaths } from "../paths/suite/hostile-paths.ts";
import { openLocalWorkspace, type LocalWorkspace } from "./open-local-workspace.ts";
import { code, OUTSIDE } from "./suite/harness.ts";

let home: string;
let workspace: LocalWorkspace;
let now: Date;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "mh-archive-"));
  now = new Date("2026-11-20T09:30:12.123Z");
  workspace = await openLocalWorkspace({
    out: join(home, "out"),
    inbox: join(home, "inbox"),
    archive: join(home, "archive"),
    now: () => now,
  });
});
afterEach(async () => {
  workspace.close();
  await rm(home, { recursive: true, force: true });
});

const write = (path: string, text: string) => workspace.files.writeText(path, text, { expect: "absent" });
const get = (path: string) => readFile(join(home, path), "utf8");
const remove = (path: string, recursive = false) => workspace.archive.removeFile(path, { recursive });

describe("deleting", () => {
  it("moves a file into the archive, returns its entry, and restores it", async () => {
    await write("notes/today.md", "call the plumber");
    const runId = "run-01jd0000000000000000000000";
    const { path, removed } = await workspace.archive.removeFile("notes/today.md", {
      recursive: false,
      runId,
    });
    expect(path).toBe("out/notes/today.md");
    expect(ArchiveEntry.parse(removed)).toEqual({
      id: expect.stringMatching(/^file-20261120T093012123Z-[0-9a-f]{8}$/u) as unknown,
      kind: "file",
      title: "today.md",
      origin: "out/notes/today.md",
      archivedAt: "2026-11-20T09:30:12.123Z",
      runId,
    });
    expect(await workspace.files.state("notes/today.md")).toMatchObject({ kind: "absent" });
    expect(await workspace.archive.list()).toEqual([{ ...removed, reason: "deleted", bytes: 16 }]);

    expect(await workspace.archive.restore(removed.id)).toEqual({ restored: removed });
    expect(await get("out/notes/today.md")).toBe("call the plumber");
    expect(await workspace.archive.list()).toEqual([]);
    await expect(workspace.archive.restore(removed.id)).rejects.toEqual(code("NOT_FOUND"));
  });

  it("is read without being restored: of a file its beginning, of a folder no bytes", async () => {
    await write("plan/a.md", "sow the peas");
    const file = await remove("plan/a.md");
    const text = async (maxBytes: number) => {
      const { bytes } = await workspace.archive.read(file.removed.id, { maxBytes });
      return Buffer.from(bytes ?? "none").toString();
    };
    expect(await text(1_000)).toBe("sow the peas");
    expect(await text(3)).toBe("sow");
    const { removed } = await workspace.archive.removeFile("plan", { recursive: true });
    expect(await workspace.archive.read(removed.id, { maxBytes: 9 })).toEqual({
      entry: { ...removed, reason: "deleted" },
    });
    await expect(
      workspace.archive.read("file-20260101T000000000Z-00000000", { maxBytes: 9 }),
    ).rejects.toEqual(code("NOT_FOUND"));
    expect(await workspace.archive.list()).toHaveLength(2);
  });

  it("keeps bytes and permissions", async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    await writeFile(join(home, "out/picture.bin"), bytes, { mode: 0o600 });
    const { removed } = await remove("picture.bin");
    await workspace.archive.restore(removed.id);
    expect(await readFile(join(home, "out/picture.bin"))).toEqual(bytes);
    if (process.platform !== "win32")
      expect((await stat(join(home, "out/picture.bin"))).mode & 0o777).toBe(0o600);
  });

  it("archives a folder only with recursive, and restores it even if its parent is missing", async () => {
    await write("trips/oslo/plan.md", "plan");
    await write("trips/oslo/maps/city.md", "map");
    await expect(remove("trips/oslo")).rejects.toMatchObject({
      code: "INVALID_ARGS",
      suggestions: [expect.stringContaining("recursive")],
    });
    const { removed } = await remove("trips/oslo", true);
    await rm(join(home, "out/trips"), { recursive: true });
    await workspace.archive.restore(removed.id);
    expect([await get("out/trips/oslo/plan.md"), await get("out/trips/oslo/maps/city.md")]).toEqual([
      "plan",
      "map",
    ]);
  });

  it("never deletes a root or a folder with a blocked name inside", async () => {
    await expect(remove("out", true)).rejects.toEqual(code("PERMISSION_DENIED"));
    await expect(remove("inbox/", true)).rejects.toEqual(code("PERMISSION_DENIED"));
    await mkdir(join(home, "out/project/deep/.git"), { recursive: true });
    await expect(remove("project", true)).rejects.toEqual(OUTSIDE);
    expect(await readdir(join(home, "out"))).toEqual(["project"]);
    expect(await workspace.archive.list()).toEqual([]);
  });

  it("suggests the nearest paths if the path does not exist", async () => {
    await write("notes/today.md", "x");
    await expect(remove("notes/tody.md")).rejects.toMatchObject({
      code: "FILE_NOT_FOUND",
      suggestions: ["out/notes/today.md"],
    });
  });

  it("rejects hostile paths, links and hard links, and archives nothing", async () => {
    await writeFile(join(home, "secret.txt"), "secret");
    await symlink(join(home, "secret.txt"), join(home, "out/link.md"));
    await link(join(home, "secret.txt"), join(home, "out/hard.md"));
    for (const path of [...hostilePaths, "link.md", "hard.md"]) {
      await expect(remove(path, true)).rejects.toEqual(OUTSIDE);
      await expect(workspace.archive.keepCopy(path, {})).rejects.toEqual(OUTSIDE);
    }
    expect(await get("secret.txt")).toBe("secret");
    expect((await readdir(join(home, "archive"))).filter((name) => name.startsWith("file-"))).toEqual([]);
  });

  it("lets exactly one of many callers delete a file", async () => {
    await write("a.md", "x");
    const results = await Promise.allSettled([remove("a.md"), remove("a.md"), remove("a.md")]);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    expect(await workspace.archive.list()).toHaveLength(1);
  });
});

describe("archiving overwritten files", () => {
  it("keeps a copy and leaves the file", async () => {
    await write("a.md", "old");
    const kept = await workspace.archive.keepCopy("a.md", {});
    expect(await get("out/a.md")).toBe("old");
    await workspace.files.writeText("a.md", "new", { expect: "any" });

    await expect(workspace.archive.restore(kept.id)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      suggestions: ["out/a-2.md"],
    });
    expect(await get("out/a.md")).toBe("new");
    expect(await workspace.archive.list()).toHaveLength(1);
  });

  it("replaces an existing file with the copy and archives that file", async () => {
    await write("a.md", "old");
    const kept = await workspace.archive.keepCopy("a.md", {});
    await workspace.files.writeText("a.md", "new", { expect: "any" });
    const { replaced } = await workspace.archive.restore(kept.id, { replace: true });
    expect(await get("out/a.md")).toBe("old");
    expect(await workspace.archive.list()).toMatchObject([{ id: replaced?.id }]);
    await workspace.archive.restore(replaced?.id ?? "", { replace: true });
    expect(await get("out/a.md")).toBe("new");
  });
});

describe("replacing a file with its earlier text", () => {
  it("succeeds once if it is asked for twice at the same time", async () => {
    for (let round = 0; round < 10; round += 1) {
      await write("a.md", "old");
      const kept = await workspace.archive.keepCopy("a.md", {});
      await workspace.files.writeText("a.md", "new", { expect: "any" });
      const twice = [1, 2, 3].map(() => workspace.archive.restore(kept.id, { replace: true }));
      const results = await Promise.allSettled(twice);
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results)
        if (result.status === "rejected") expect(result.reason).toEqual(code("NOT_FOUND"));
      expect(await get("out/a.md")).toBe("old");
      await remove("a.md");
    }
  });

  it("leaves the file if the earlier text cannot take its place", async () => {
    await write("a.md", "old");
    const kept = await workspace.archive.keepCopy("a.md", {});
    await workspace.files.writeText("a.md", "new", { expect: "any" });
    // No file can be replaced with a folder, so that the second of the two moves fails.
    const payload = join(home, "archive", kept.id, "payload");
    await rm(payload);
    await mkdir(payload);
    await expect(workspace.archive.restore(kept.id, { replace: true })).rejects.toThrow();
    expect(await get("out/a.md")).toBe("new");
    expect((await workspace.archive.list()).map(({ id }) => id)).toEqual([kept.id]);
  });
});

describe("the list of what was archived", () => {
  it("is sorted newest first and survives a restart", async () => {
    for (const [index, name] of ["a.md", "b.md", "c.md"].entries()) {
      now = new Date(Date.UTC(2026, 10, 20, 9, index));
      await write(name, name);
      await remove(name);
    }
    const again = await openLocalWorkspace({
      out: join(home, "out"),
      inbox: join(home, "inbox"),
      archive: join(home, "archive"),
    });
    expect((await again.archive.list()).map((entry) => entry.title)).toEqual(["c.md", "b.md", "a.md"]);
    again.close();
  });

  it("omits incomplete and damaged entries", async () => {
    await write("a.md", "x");
    const { removed } = await remove("a.md");
    const archiveFolder = join(home, "archive");
    const entry = await readFile(join(archiveFolder, removed.id, "entry.json"), "utf8");
    const broken: Record<string, string> = {
      "file-20261120T093012124Z-00000001": entry,
      "file-20261120T093012124Z-00000002": "{",
      "file-20261120T093012124Z-00000003": "{}",
    };
    for (const [id, text] of Object.entries(broken)) {
      await mkdir(join(archiveFolder, id));
      await writeFile(join(archiveFolder, id, "entry.json"), text);
      if (text !== entry) await writeFile(join(archiveFolder, id, "payload"), "x");
    }
    expect(await workspace.archive.list()).toEqual([{ ...removed, reason: "deleted", bytes: 1 }]);
    for (const id of Object.keys(broken))
      await expect(workspace.archive.restore(id)).rejects.toEqual(code("NOT_FOUND"));
  });

  it("rejects unknown ids", async () => {
    for (const id of [
      "",
      "..",
      "../../out",
      "file-20261120T093012123Z-../../xx",
      "file-20261120T093012123Z-00000000",
      "write.lock",
    ]) {
      await expect(workspace.archive.restore(id)).rejects.toEqual(code("NOT_FOUND"));
    }
  });

  it("does not restore an entry whose origin was changed to a path outside the workspace", async () => {
    await write("a.md", "x");
    const { removed } = await remove("a.md");
    const entryFile = join(home, "archive", removed.id, "entry.json");
    await writeFile(entryFile, (await readFile(entryFile, "utf8")).replace("out/a.md", "../escaped.md"));
    await expect(workspace.archive.restore(removed.id)).rejects.toEqual(OUTSIDE);
    expect(await readdir(home)).not.toContain("escaped.md");
  });
});
