import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { anyHostilePath, hostilePaths } from "@metahuman/core/paths/suite/hostile-paths";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { skillHarness } from "../../tests/support/skill-harness.ts";
import type { Assessment, Skill } from "./define-skill.ts";
import { installedSkills } from "./installed.ts";

const harness = skillHarness();

/** Valid arguments besides the attacked one, so that only the path can be refused. */
const companions: Readonly<Record<string, Record<string, unknown>>> = {
  fs_read: {},
  fs_list: { recursive: true },
  fs_write: { content: "evil", overwrite: true },
  fs_append: { text: "evil" },
  fs_edit: { action: "replace", line: 1, text: "evil" },
  fs_move: { from: "mine.md", to: "stolen.md", overwrite: true },
  fs_delete: { recursive: true },
  fs_mkdir: {},
  fs_exists: {},
  fs_search: { query: "mine" },
  json_update: { set: { evil: true }, create: true },
  table_edit: { action: "add", values: "evil" },
  summarize_file: {},
  git_status: {},
  git_diff: {},
  git_commit: { message: "evil" },
};

/** Every argument of a file skill that names a path. */
const targets = installedSkills
  .filter((skill) => skill.category === "files" || skill.category === "git")
  .flatMap((skill) =>
    ["path", "from", "to", "files"]
      .filter((name) => name in skill.input.shape && !(skill.id === "fs_read" && name === "from"))
      .map((name) => ({ skill, name, title: `${skill.id} ${name}` })),
  );

/** Everything is approved, because the refusal must not depend on approvals. */
const allowed: Assessment = {
  risk: "high",
  preview: { title: "", facts: [] },
  overwrites: true,
  paths: [],
  hosts: [],
};

const refusal = expect.objectContaining({
  code: expect.stringMatching(/^(?:PATH_OUTSIDE_WORKSPACE|INVALID_ARGS)$/u) as unknown,
}) as unknown;

async function allFilesOf(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Databases move while they are open; everything else must stay as it is.
    if (entry.isFile() && !/index|\.lock|\.db/u.test(path)) files[path] = await readFile(path, "utf8");
  }
  return files;
}

it("covers every file skill", () => {
  expect(targets.map(({ title }) => title)).toEqual([
    "fs_read path",
    "fs_list path",
    "fs_search path",
    "fs_write path",
    "fs_append path",
    "fs_edit path",
    "fs_copy from",
    "fs_copy to",
    "fs_move from",
    "fs_move to",
    "fs_delete path",
    "fs_mkdir path",
    "fs_exists path",
    "json_update path",
    "table_edit path",
    "summarize_file path",
    "git_status path",
    "git_diff path",
    "git_commit files",
  ]);
});

describe.each(targets)("$title", ({ skill, name }: { skill: Skill; name: string }) => {
  let before: Record<string, string>;

  beforeEach(async () => {
    await writeFile(join(harness.folder("out"), "mine.md"), "mine");
    await writeFile(join(harness.home, "profiles/ada/profile.json"), "{}");
    await writeFile(join(harness.home, "secret.txt"), "secret");
    before = await allFilesOf(harness.home);
  });

  const args = (path: string) => ({ ...companions[skill.id], [name]: path });
  const refused = async (path: string): Promise<void> => {
    await expect(harness.call(skill, args(path)), `judging ${JSON.stringify(path)}`).rejects.toEqual(refusal);
    await expect(
      harness.call(skill, args(path), { assessment: allowed }),
      `running ${JSON.stringify(path)}`,
    ).rejects.toEqual(refusal);
  };

  it("refuses every path of the corpus, and touches nothing", async () => {
    for (const path of hostilePaths) await refused(path);
    expect(await allFilesOf(harness.home)).toEqual(before);
  });

  it("refuses generated paths, and touches nothing", async () => {
    await fc.assert(fc.asyncProperty(anyHostilePath, refused), { numRuns: 100 });
    expect(await allFilesOf(harness.home)).toEqual(before);
  });

  it("refuses links that lead outside, and other people's profiles in an added root", async () => {
    await mkdir(join(harness.home, "profiles/bob/out"), { recursive: true });
    await writeFile(join(harness.home, "profiles/bob/out/diary.md"), "secret");
    await symlink(join(harness.home, "secret.txt"), join(harness.folder("out"), "link.md"));
    await symlink(join(harness.home, "profiles/bob/out"), join(harness.folder("out"), "way"));
    await symlink(join(harness.home, "profiles"), join(harness.folder("docs"), "all"));
    await link(join(harness.home, "secret.txt"), join(harness.folder("out"), "hard.md"));
    const linked = await allFilesOf(harness.home);
    for (const path of [
      "link.md",
      "way",
      "way/diary.md",
      "way/new.md",
      "docs/all/bob/out/diary.md",
      "docs/all/ada/profile.json",
    ]) {
      await refused(path);
    }
    // A hard link is not a folder and cannot be listed.
    if (skill.id !== "fs_list") await refused("hard.md");
    expect(await allFilesOf(harness.home)).toEqual(linked);
  });
});
