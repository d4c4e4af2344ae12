import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import type { AuditLog } from "../../audit/audit-log.ts";
import { openAuditLog } from "../../audit/open-audit-log.ts";
import { openMemory, type OpenedMemory } from "../../memory/open-memory.ts";
import { openTasks } from "../../memory/tasks/open-tasks.ts";
import { createTestEmbedder } from "../../memory/testing/test-embedder.ts";
import { createInMemoryUses } from "../../memory/evolution/in-memory-uses.ts";
import { profilePaths, type ProfilePaths } from "../../paths/profile-paths.ts";
import { createProfileQuota } from "../../profiles/profile-quota.ts";
import { openProfileStore } from "../../profiles/open-profile-store.ts";
import type { ProfileStore } from "../../profiles/profile-store.ts";
import { openLocalWorkspace } from "../../workspace/open-local-workspace.ts";
import { openAgentCopies } from "../../agents/agent-copies.ts";
import { type AgentStore, openAgentStore } from "../../agents/open-agent-store.ts";
import { openDatabase } from "../../database/open-database.ts";
import { openEvidenceTable, type EvidenceTable } from "../../functions/upkeep/evidence-table.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import { openRunCopies } from "../../runs/run-copies.ts";
import { openRunStore } from "../../runs/open-run-store.ts";
import type { RunStore } from "../../runs/run-store.ts";
import {
  answered,
  approvalFor,
  began,
  ended,
  observed,
  planned,
  running,
  changeIdle,
  claimNext,
  modelCall,
} from "../../runs/store-fixtures.ts";
import { openScheduleRecords, type ScheduleRecords } from "../../schedules/schedule-records.ts";
import { openStoredFiles } from "../stored-files.ts";
import { createProfileTransfer, type ProfileTransfer } from "../profile-transfer.ts";

/** A profile with everything that an export contains. */
export interface Space {
  home: string;
  paths: ProfilePaths;
  store: ProfileStore;
  memory: OpenedMemory;
  tasks: Awaited<ReturnType<typeof openTasks>>;
  schedules: ScheduleRecords;
  uses: ReturnType<typeof createInMemoryUses>;
  audit: AuditLog;
  runs: RunStore;
  agents: AgentStore;
  evidence: EvidenceTable;
  transfer: ProfileTransfer;
  /** How often `onRestored` was called. */
  restored(): number;
  limits: { maxImportMs: number; maxBytes: number; maxFiles: number };
  /** Makes every further access to conversations in `state.db` fail. */
  breakState(): void;
  close(): Promise<void>;
}

export async function openSpace(): Promise<Space> {
  const home = await mkdtemp(join(tmpdir(), "transfer-"));
  const paths = profilePaths(home, "ada");
  const store = await openProfileStore({ home, username: "ada" });
  const uses = createInMemoryUses();
  const memory = await openMemory({ paths, embedder: createTestEmbedder(), uses });
  const tasks = await openTasks({ paths });
  const schedules = await openScheduleRecords({ paths });
  const workspace = await openLocalWorkspace({
    out: paths.out,
    inbox: paths.inbox,
    archive: paths.memory.archive.files,
  });
  const audit = openAuditLog(paths.logs.audit, () => new Date());
  const state = openDatabase(paths.stateDatabase, stateMigrations, { title: "the state database" });
  const runs = openRunStore(state);
  const agents = openAgentStore(state);
  const evidence = openEvidenceTable(state);
  const clock = () => new Date();
  let restored = 0;
  const limits = { maxImportMs: 60_000, maxBytes: 1_000_000_000, maxFiles: 1_000 };
  const transfer = createProfileTransfer({
    username: "ada",
    version: "1.2.3",
    paths,
    files: openStoredFiles(paths.root),
    store,
    memory: memory.memory,
    tasks,
    schedules,
    archive: workspace.archive,
    uses,
    evidence,
    runs: openRunCopies(state, clock),
    agents: openAgentCopies(state),
    index: memory.index,
    // The restored functions are tested over HTTP.
    functions: { reconcile: () => Promise.resolve() },
    audit,
    onRestored: () => {
      restored += 1;
    },
    limits: () => limits,
    quota: createProfileQuota({
      paths,
      limits: () => limits,
      onProblem: (_message, error) => {
        throw error;
      },
      clock,
    }),
    clock,
  });
  const space: Space = {
    home,
    paths,
    store,
    memory,
    tasks,
    schedules,
    uses,
    audit,
    runs,
    agents,
    evidence,
    transfer,
    restored: () => restored,
    limits,
    breakState() {
      state.command("ALTER TABLE conversations RENAME TO lost").run();
    },
    async close() {
      transfer.close();
      workspace.close();
      tasks.close();
      schedules.close();
      await memory.close();
      store.close();
      await runs.close();
      state.close();
      await audit.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return space;
}

/** Adds items of every kind; returns the id of a memory that was useful. */
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

/** Adds items of every kind that only `state.db` contains, with idle runs in every state. */
export async function fillState({ runs, agents, evidence }: Space): Promise<void> {
  const asking = await running(runs, "delete out/a.txt");
  const allowed = approvalFor(asking, 1, "a1");
  await runs.append(asking.claim, [
    planned(1, "fs_delete"),
    { type: "approval-requested", step: 1, approval: allowed },
  ]);
  await changeIdle(runs, asking.id, [
    { type: "approval-resolved", step: 1, approvalId: allowed.id, decision: "always", reason: "go on" },
    { type: "run-resumed", reason: "decided", status: "queued" },
  ]);
  const resumed = await claimNext(runs);
  await runs.append(resumed, [began(1, "fs_delete"), observed(1), answered("Deleted. 😀"), ended]);
  const following = await running(runs, "and what is there?", asking.conversationId);
  await runs.recordModelCall(following.claim, modelCall(1, ["You plan.", "and what is there?"]));
  await runs.recordModelCall(following.claim, modelCall(2, ["You plan.", "and what is there?", "nothing"]));
  await runs.append(following.claim, [answered("Nothing."), ended]);
  await runs.giveFeedback(following.id, { verdict: "useful", note: "yes", at: "2026-11-20T09:30:00.000Z" });
  await runs.renameConversation(asking.conversationId, "Tidying up");
  const waiting = await running(runs, "delete out/b.txt");
  await runs.append(waiting.claim, [
    planned(1, "fs_delete"),
    { type: "approval-requested", step: 1, approval: approvalFor(waiting, 1, "a2") },
  ]);
  const job = await agents.begin("librarian", "person");
  await agents.note(job.id, "info", "Looked through everything.");
  await agents.saveMemo(job.id, { through: "evt-1" });
  await agents.end(job.id, {
    status: "finished",
    summary: "Done.",
    problems: [{ subject: "x.json", reason: "broken" }],
  });
  await evidence.record(
    { functionId: "func-20260101-abc123", runId: asking.id, outcome: "succeeded" },
    job.startedAt,
  );
}

/** Returns all lists of the restored state. */
export async function stateOf({ runs, agents, evidence }: Space) {
  const conversations = await runs.conversations({ limit: 50 });
  const page = await runs.runs({ limit: 50 });
  return {
    conversations,
    messages: await Promise.all(conversations.items.map(({ id }) => runs.messages(id))),
    runs: page,
    whole: await Promise.all(
      page.items.map(async ({ id }) => ({
        run: await runs.run(id),
        events: await runs.events(id, 0, 100),
        modelCalls: await runs.modelCalls(id),
        feedback: await runs.feedback(id),
      })),
    ),
    approvals: await runs.approvals({ limit: 50 }),
    grants: await runs.grants(),
    agents: {
      last: await agents.last("librarian"),
      log: await agents.log("librarian", { limit: 50 }),
      memo: await agents.memo("librarian"),
    },
    evidence: await Array.fromAsync(evidence.copies()),
  };
}

/** Returns every file of a profile that an export must contain, with its bytes. */
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
  options: { mode?: number; compress?: boolean } = {},
): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), path, options);
  zip.end();
  return buffer(zip.outputStream);
}
