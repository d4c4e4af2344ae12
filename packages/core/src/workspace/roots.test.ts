import { existsSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLocalWorkspace, type LocalWorkspace } from "./open-local-workspace.ts";
import { code, OUTSIDE } from "./suite/harness.ts";

let home: string;
let workspace: LocalWorkspace | undefined;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "mh-roots-")));
  for (const path of ["docs/inner", "profiles/ada", "profiles/bob/memory"])
    await mkdir(join(home, path), { recursive: true });
  await writeFile(join(home, "docs/a.md"), "a");
  await writeFile(join(home, "profiles/bob/memory/secret.md"), "secret");
});
afterEach(async () => {
  workspace?.close();
  await rm(home, { recursive: true, force: true });
});

async function open(added: Record<string, string>) {
  const own = join(home, "profiles/ada");
  workspace = await openLocalWorkspace({
    out: join(own, "out"),
    inbox: join(own, "inbox"),
    archive: join(own, "memory/archive/files"),
    added,
    keepOut: [join(home, "profiles")],
  });
  return workspace;
}

it("selects an added root by the first segment", async () => {
  const { files } = await open({ docs: join(home, "docs") });
  expect(files.resolve("docs/a.md")).toEqual({ path: "docs/a.md", root: "docs", writable: true });
  expect((await files.readText("docs/a.md", { maxBytes: 9 })).content).toBe("a");
  await files.writeText("docs/inner/b.md", "b", { expect: "absent" });
  await files.writeText("doc/b.md", "b", { expect: "absent" });
  expect((await files.state("out/doc/b.md")).kind).toBe("file");
});

it("replaces added roots while it is open", async () => {
  const { files, changeAddedRoots } = await open({ docs: join(home, "docs") });
  changeAddedRoots({ inner: join(home, "docs/inner") });
  expect(files.resolve("inner/b.md").root).toBe("inner");
  expect(files.resolve("docs/a.md").path).toBe("out/docs/a.md");
  await files.writeText("inner/b.md", "b", { expect: "absent" });
  expect(await readFile(join(home, "docs/inner/b.md"), "utf8")).toBe("b");
});

it("follows the one link that the owner set, the root itself", async () => {
  await symlink(join(home, "docs"), join(home, "link"));
  const { files } = await open({ docs: join(home, "link") });
  expect((await files.readText("docs/a.md", { maxBytes: 9 })).content).toBe("a");
});

it("keeps profiles out of an added root that contains them", async () => {
  const { files } = await open({ all: home });
  for (const path of ["all/profiles/bob/memory/secret.md", "all/profiles", "all/profiles/ada/out/x.md"]) {
    await expect(files.list(path, { recursive: true, limit: 9 })).rejects.toEqual(OUTSIDE);
    await expect(files.writeText(`${path}/x.md`, "evil", { expect: "any" })).rejects.toEqual(OUTSIDE);
  }
  const { entries } = await files.list("all", { recursive: true, limit: 99 });
  expect(entries.map((entry) => entry.path)).not.toContainEqual(expect.stringContaining("profiles/"));
  await expect(files.move("all/profiles", "all/moved", { overwrite: false })).rejects.toEqual(OUTSIDE);
  // Its own out/ is reached as out/.
  await files.writeText("out/x.md", "x", { expect: "absent" });
});

it("rejects an added root inside the profiles folder, or equal to it", async () => {
  const { files } = await open({ bob: join(home, "profiles/bob"), all: join(home, "profiles") });
  for (const path of ["bob/memory/secret.md", "all/bob/memory/secret.md"]) {
    await expect(files.readText(path, { maxBytes: 9 })).rejects.toEqual(code("CONFIG_INVALID"));
  }
});

it("rejects an added root with a relative path", async () => {
  const { files } = await open({ here: "." });
  await expect(files.list("here", { recursive: false, limit: 9 })).rejects.toEqual(code("CONFIG_INVALID"));
});

/** `npm test` puts temporary files into memory. */
const otherDisk = ["/dev/shm", "/var/tmp"].find(
  (folder) => existsSync(folder) && statSync(folder).dev !== statSync(tmpdir()).dev,
);

describe.skipIf(otherDisk === undefined)("a root on another disk", () => {
  let disk: string;
  beforeEach(async () => {
    disk = await mkdtemp(join(otherDisk ?? "", "mh-roots-"));
    await mkdir(join(disk, "trip/inner"), { recursive: true });
    await writeFile(join(disk, "a.md"), "a", { mode: 0o640 });
    await writeFile(join(disk, "trip/inner/b.md"), "b");
  });
  afterEach(() => rm(disk, { recursive: true, force: true }));

  it("moves files and folders in both directions and keeps their permissions", async () => {
    const { files } = await open({ disk });
    await files.move("disk/a.md", "out/a.md", { overwrite: false });
    await files.move("disk/trip", "out/trip", { overwrite: false });
    const out = join(home, "profiles/ada/out");
    expect([
      await readFile(join(out, "a.md"), "utf8"),
      await readFile(join(out, "trip/inner/b.md"), "utf8"),
    ]).toEqual(["a", "b"]);
    expect((await stat(join(out, "a.md"))).mode & 0o777).toBe(0o640);
    expect(await readdir(disk)).toEqual([]);
    await expect(files.move("out/a.md", "disk/a.md", { overwrite: false })).resolves.toBeDefined();
    expect(await readdir(disk)).toEqual(["a.md"]);
  });

  it("supports archiving and restoring", async () => {
    const { archive } = await open({ disk });
    const { removed } = await archive.removeFile("disk/trip", { recursive: true });
    expect(await readdir(disk)).toEqual(["a.md"]);
    await archive.restore(removed.id);
    expect(await readFile(join(disk, "trip/inner/b.md"), "utf8")).toBe("b");
  });

  it("leaves everything in place if an entry of a folder cannot be copied", async () => {
    const { files, archive } = await open({ disk });
    await symlink(join(home, "docs/a.md"), join(disk, "trip/inner/link.md"));
    await expect(files.move("disk/trip", "out/trip", { overwrite: false })).rejects.toEqual(OUTSIDE);
    await expect(archive.removeFile("disk/trip", { recursive: true })).rejects.toEqual(OUTSIDE);
    expect((await readdir(join(disk, "trip/inner"))).sort()).toEqual(["b.md", "link.md"]);
    expect(await readdir(join(home, "profiles/ada/out"))).toEqual([]);
    expect(await archive.list()).toEqual([]);
  });
});

it("does not let an added root replace out or inbox", async () => {
  const { files } = await open({ out: join(home, "docs") });
  await expect(files.readText("out/a.md", { maxBytes: 9 })).rejects.toEqual(code("FILE_NOT_FOUND"));
});

it("reports a missing added folder and works again once it exists", async () => {
  const { files } = await open({ stick: join(home, "stick") });
  await expect(files.readText("stick/a.md", { maxBytes: 9 })).rejects.toMatchObject({
    code: "FILE_NOT_FOUND",
    message: expect.stringContaining("stick/ is currently missing") as unknown,
  });
  await mkdir(join(home, "stick"));
  await writeFile(join(home, "stick/a.md"), "a");
  expect((await files.readText("stick/a.md", { maxBytes: 9 })).content).toBe("a");
});

it("recreates its own folders after they were deleted", async () => {
  const { files } = await open({});
  await rm(join(home, "profiles/ada/out"), { recursive: true });
  await files.writeText("x.md", "x", { expect: "absent" });
  expect((await files.list("out", { recursive: false, limit: 9 })).total).toBe(1);
});
