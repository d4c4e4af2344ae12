// Opens a profile, then drops its own rights and those of the folders, and prints as JSON how each attempt ended:
// `without-rights.ts <data root>`. Drops them because root can open every folder.
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openDatabase } from "../../database/open-database.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import { profilePaths } from "../../paths/profile-paths.ts";
import { openLocalWorkspace } from "../../workspace/open-local-workspace.ts";
import { openMemory } from "../open-memory.ts";
import { found, observe } from "../testing/open-test-memory.ts";
import { createTestEmbedder } from "../testing/test-embedder.ts";

/** The user and the group that own nothing. */
const NOBODY = 65_534;

const [home = ""] = process.argv.slice(2);
const paths = profilePaths(home, "ada");
const opened = await openMemory({ paths, embedder: createTestEmbedder() });
const [record] = await observe(opened, "one walnut");
await opened.embedded();
const roots = { out: paths.out, inbox: paths.inbox, archive: paths.memory.archive.files };
const { files, archive } = await openLocalWorkspace(roots);
const byPaths = await openLocalWorkspace({ ...roots, anchor: "path" });
await files.writeText("closed/x.md", "x", { expect: "absent" });
const locked = join(home, "locked");
await mkdir(locked);

const year = join(paths.memory.episodic, record?.timestamp.slice(0, 4) ?? "");
const closed = join(paths.out, "closed");
for (const folder of [year, paths.memory.root, locked]) await chmod(folder, 0o555);
await chmod(closed, 0);
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

const codeOf = (attempt: () => unknown): Promise<string> =>
  Promise.resolve()
    .then(attempt)
    .then(
      () => "done",
      (error: unknown) => toErrorDetail(error).code,
    );
const results = {
  memory: await codeOf(() => observe(opened, "two walnuts")),
  manyMemories: await codeOf(() =>
    opened.memory.addMany(
      [
        { type: "observation", content: "three walnuts" },
        { type: "observation", content: "four walnuts" },
      ],
      { source: { kind: "user" }, trust: "trusted" },
    ),
  ),
  found: await found(opened, "walnut"),
  reading: await codeOf(() => files.readText("closed/x.md", { maxBytes: 9 })),
  listed: (await files.list("out", { recursive: true, limit: 9 })).total,
  listedByPaths: await codeOf(() => byPaths.files.list("out", { recursive: true, limit: 9 })),
  archiving: await codeOf(() => archive.keepCopy("closed/x.md", {})),
  database: await codeOf(() => openDatabase(join(locked, "notes.db"), [], { title: "the note database" })),
};
process.stdout.write(JSON.stringify(results));
// Without rights, closing would fail.
process.exit(0);
