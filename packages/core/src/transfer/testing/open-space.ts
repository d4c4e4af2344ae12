import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import type { AuditLog } from "../../audit/audit-log.ts";
import { openAuditLog } from "../../audit/open-audit-log.ts";
import { openMemory, type OpenedMemory } from "../../memory/open-memory.ts";
import { openTasks } from "../../memory/open-tasks.ts";
import { createTestEmbedder } from "../../memory/testing/test-embedder.ts";
import { createPassingUses } from "../../memory/uses/passing-uses.ts";
import { profilePaths, type ProfilePaths } from "../../paths/profile-paths.ts";
import { openProfileStore } from "../../profiles/open-profile-store.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { openLocalWorkspace } from "../../workspace/open-local-workspace.ts";
import { createProfileTransfer, type ProfileTransfer } from "../profile-transfer.ts";

/** One profile with all that an export is made of. */
export interface Space {
  home: string;
  paths: ProfilePaths;
  store: ProfileStore;
  memory: OpenedMemory;
  tasks: Awaited<ReturnType<typeof openTasks>>;
  uses: ReturnType<typeof createPassingUses>;
  audit: AuditLog;
  transfer: ProfileTransfer;
  close(): Promise<void>;
}

export async function openSpace(): Promise<Space> {
  const home = await mkdtemp(join(tmpdir(), "transfer-"));
  const paths = profilePaths(home, "ada");
  const store = await openProfileStore({ home, username: "ada" });
  const uses = createPassingUses();
  const memory = await openMemory({ paths, embedder: createTestEmbedder(), uses });
  const tasks = await openTasks({ paths });
  const workspace = await openLocalWorkspace({
    out: paths.out,
    inbox: paths.inbox,
    archive: paths.memory.archive.files,
  });
  const audit = openAuditLog(paths.logs.audit, () => new Date());
  const transfer = createProfileTransfer({
    username: "ada",
    version: "1.2.3",
    paths,
    store,
    memory: memory.memory,
    tasks,
    archive: workspace.archive,
    uses,
    index: memory.index,
    audit,
    clock: () => new Date(),
  });
  const space: Space = {
    home,
    paths,
    store,
    memory,
    tasks,
    uses,
    audit,
    transfer,
    async close() {
      transfer.close();
      workspace.close();
      tasks.close();
      await memory.close();
      store.close();
      await audit.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return space;
}

/** Something of everything; returns the id of a memory that was of use. */
export async function fill({ memory, tasks, paths, uses, store }: Space): Promise<string> {
  const [first] = await memory.memory.addMany(
    [
      { type: "curated", content: "The garage code is in the blue notebook. שלום 😀" },
      { type: "reflection", content: "Mondays are for planning." },
    ],
    { source: { kind: "user" }, trust: "trusted" },
  );
  const dropped = await memory.memory.add(
    { type: "observation", content: "Nothing of worth." },
    { source: { kind: "user" }, trust: "trusted" },
  );
  await memory.memory.forget(dropped.id);
  const { id } = await tasks.create({ title: "buy milk" });
  await tasks.create({ title: "paint the fence" });
  await tasks.edit(id, { status: "done" });
  await mkdir(join(paths.out, "notes"));
  await writeFile(join(paths.out, "notes/picture.bin"), Buffer.from([0, 255, 128, 7]));
  await writeFile(join(paths.out, ".env"), "KEY=very-secret");
  await uses.record([{ memoryId: first?.id ?? "", kind: "useful", at: 1_700_000_000_000, note: "yes" }]);
  await store.changeSettings({
    displayName: "Ada L.",
    trustLevel: "suggest",
    skillOverrides: { fs_delete: "never" },
  });
  await store.changePersona({ voice: "Dry." });
  return first?.id ?? "";
}

/** Every file of a profile that an export is to hold, with its bytes. */
export async function filesOf({ paths }: Space): Promise<Record<string, string>> {
  const entries = await readdir(paths.root, { recursive: true, withFileTypes: true });
  const kept = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(paths.root.length + 1));
  const wanted = kept.filter(
    (path) =>
      /^(?:profile\.json|persona\/|memory\/(?!index\/)|out\/|inbox\/)/.test(path) &&
      !/(?:^|\/)\.[^/]*$/.test(path),
  );
  return Object.fromEntries(
    await Promise.all(
      wanted
        .sort()
        .map(async (path): Promise<[string, string]> => [
          path,
          await readFile(join(paths.root, path), "base64"),
        ]),
    ),
  );
}

export function zipOf(
  files: Record<string, string | Buffer>,
  options: { mode?: number } = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path, options);
  zip.end();
  return buffer(zip.outputStream);
}
