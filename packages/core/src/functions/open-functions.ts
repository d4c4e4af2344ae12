import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditEvent } from "../contract/audit.ts";
import type { OperatorConfig } from "../contract/config.ts";
import type { ArchiveEntry } from "../contract/http.ts";
import { FunctionProposal, FunctionVersion } from "../contract/function.ts";
import { openFileLock } from "../database/file-lock.ts";
import type { Database } from "../database/open-database.ts";
import { createIndexThread, REST_AFTER_MS } from "../index-thread/index-thread.ts";
import type { IndexThread } from "../index-thread/index-thread.ts";
import { StorageCorruptError } from "../errors/storage-corrupt-error.ts";
import { openEmbeddings } from "../memory/embeddings.ts";
import { makeFolder } from "../memory/files/durable-file.ts";
import { parseFile } from "../memory/files/file-content.ts";
import { createRecordArchive } from "../memory/files/record-archive.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { EmbedderChoice } from "../vectors/embedder-choice.ts";
import type { Embedder } from "../vectors/embedder.ts";
import { within } from "../waiting/within.ts";
import { createWorkerClient } from "../workers/worker-client.ts";
import { openEvidenceTable } from "./evidence/evidence-table.ts";
import type { EvidenceTable } from "./evidence/evidence-table.ts";
import type { FunctionActor, FunctionsOfProfile, FunctionsPort, FunctionVerifier } from "./functions-port.ts";
import type { FunctionIndexCalls, FunctionIndexSettings } from "./index/protocol.ts";
import { createDeciding } from "./lifecycle/deciding.ts";
import { createEditing } from "./lifecycle/editing.ts";
import type { LifecycleParts } from "./lifecycle/lifecycle-parts.ts";
import { createProposing } from "./lifecycle/proposing.ts";
import { createReading } from "./lifecycle/reading.ts";
import { createRecording } from "./lifecycle/recording.ts";
import { createRemoving, purgeDeleted } from "./lifecycle/removing.ts";
import { createSaving } from "./lifecycle/saving.ts";
import { createVerifying } from "./lifecycle/verifying.ts";
import { createFunctionFiles } from "./store/function-files.ts";
import { createFunctionStore } from "./store/function-store.ts";
import { openRecordFolder } from "./store/record-folder.ts";
import { FunctionFile } from "./store/stored-function.ts";

export interface FunctionsOptions {
  /** Whose functions: the other half of the scope is the agent. */
  userId: string;
  paths: Pick<ProfilePaths, "memory">;
  /** The profile's `state.db`, opened with `stateMigrations`. */
  state: Database;
  embedder: Embedder;
  embedderChoice?: EmbedderChoice;
  verifier: FunctionVerifier;
  settings: () => OperatorConfig["functions"];
  audit: (event: AuditEvent) => Promise<void>;
  /** Where the index is kept; a thread of its own when left out. */
  thread?: IndexThread;
  clock?: () => Date;
  onWarning?: (message: string, cause?: unknown) => void;
}

export interface OpenedFunctions {
  functions: FunctionsOfProfile;
  evidence: EvidenceTable;
  /** What was deleted, of every agent. */
  archive: {
    list(): Promise<ArchiveEntry[]>;
    /** Throws `NotFoundError`. */
    restore(archiveId: string, actor: FunctionActor): Promise<void>;
  };
  /** Files that are no functions, each with the reason. */
  quarantined(): Promise<{ path: string; reason: string }[]>;
  /** Takes in what others did to the files; resolves as `rebuild` does. */
  reconcile(): Promise<void>;
  /** Reads every file anew; resolves when that is done, or was told as a warning that it could not be. */
  rebuild(): Promise<void>;
  /** Resolves when files and index agree for the first time. */
  ready: Promise<void>;
  /** Resolves when nothing waits to be embedded any more, or the embedder cannot be reached. */
  embedded(): Promise<void>;
  close(): Promise<void>;
}

/** How long a reader waits for the first reconciliation: what is larger than that is not waited for. */
const FIRST_READ_WAIT_MS = 300;
const EVIDENCE_AT_ONCE = 500;
const USUAL_AGENT = "operator";

/** Opens a profile's functions. Returns as soon as they can be used; files and index are reconciled in the background. */
export async function openFunctions(options: FunctionsOptions): Promise<OpenedFunctions> {
  const { userId, paths, state, embedder, verifier, settings, audit } = options;
  const { clock = () => new Date(), onWarning = () => undefined, thread = createIndexThread() } = options;
  const root = paths.memory.functions;
  await makeFolder(root, "the folder of the functions");

  const evidence = openEvidenceTable(state);
  const indexed: FunctionIndexSettings = {
    database: paths.memory.functionIndex,
    root,
    embedder: { id: embedder.id, dimensions: embedder.dimensions },
  };
  const client = createWorkerClient<FunctionIndexCalls>({
    title: "the index of functions",
    connect: (events) => thread.connect({ kind: "functions", settings: indexed }, events),
    restAfterMs: REST_AFTER_MS,
    onWarning,
    onRestart: () => void agree(),
  });
  const embeddings = openEmbeddings({
    client,
    builtIn: embedder,
    choice: options.embedderChoice,
    subject: "functions",
    onWarning,
  });
  const files = createFunctionFiles(root);
  const onUnreadable = (path: string, reason: string): void =>
    onWarning(`${path} cannot be read and was passed over: ${reason}.`);
  const history = openRecordFolder({
    root: join(root, "history"),
    schema: FunctionVersion,
    subject: "the history of the function",
    onUnreadable,
  });
  const shared: Omit<LifecycleParts, "scope"> = {
    store: createFunctionStore({
      files,
      index: client,
      history,
      evidence,
      clock,
      onIndexed: () => embeddings.wake(),
    }),
    files,
    index: client,
    proposals: openRecordFolder({
      root: join(root, "proposals"),
      schema: FunctionProposal,
      subject: "the proposal",
      onUnreadable,
    }),
    evidence,
    archive: createRecordArchive({
      folder: join(paths.memory.archive.root, "functions"),
      kind: "function",
      clock,
    }),
    verifier,
    lock: openFileLock(join(root, ".lock"), "the functions"),
    settings,
    audit,
    clock,
  };

  let closing: Promise<void> | undefined;

  /** Never rejects. */
  async function agree({ everything = false } = {}): Promise<void> {
    try {
      await client.call("reconcile", { everything });
      await tellEvidence();
      embeddings.wake();
    } catch (error) {
      if (!closing) onWarning("The index of functions does not agree with the files yet.", error);
    }
  }

  /** The index ranks by it and may have been deleted. */
  async function tellEvidence(): Promise<void> {
    for (let after = ""; ;) {
      const rows = evidence.rows(after, EVIDENCE_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      await client.call("evidence", rows);
      after = last.id;
      await nextTurn();
    }
  }

  const ready = agree();
  const purged = purgeDeleted(shared, history).then(
    () => undefined,
    (error: unknown) => {
      if (!closing) onWarning("Functions deleted long ago could not be purged.", error);
    },
  );
  const waited = within(FIRST_READ_WAIT_MS, ready, undefined);

  const underWay = new Set<Promise<unknown>>();
  /** Closing waits for it; the first reconciliation is waited for, within reason. */
  function tracked<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = waited.then(work);
    const settled = done.then(
      () => undefined,
      () => undefined,
    );
    underWay.add(settled);
    void settled.then(() => underWay.delete(settled));
    return done;
  }

  function portOf(agentId: string): FunctionsPort {
    const parts: LifecycleParts = { ...shared, scope: { agentId, userId } };
    const verifying = createVerifying(parts);
    const proposing = createProposing(parts, verifying);
    const saving = createSaving(parts, verifying);
    const editing = createEditing(parts, proposing);
    const removing = createRemoving(parts);
    const deciding = createDeciding(parts, verifying);
    const reading = createReading(parts, embeddings.search);
    const recording = createRecording(parts);
    return {
      saveFunction: (...args) => tracked(() => saving.saveFunction(...args)),
      loadFunction: (...args) => tracked(() => reading.loadFunction(...args)),
      findByName: (...args) => tracked(() => reading.findByName(...args)),
      listFunctions: (...args) => tracked(() => reading.listFunctions(...args)),
      queryFunctions: (...args) => tracked(() => reading.queryFunctions(...args)),
      updateFunction: (...args) => tracked(() => editing.updateFunction(...args)),
      versions: (...args) => tracked(() => editing.versions(...args)),
      restoreVersion: (...args) => tracked(() => editing.restoreVersion(...args)),
      proposeRevision: (...args) => tracked(() => proposing.proposeRevision(...args)),
      listProposals: (...args) => tracked(() => proposing.listProposals(...args)),
      acceptProposal: (...args) => tracked(() => proposing.acceptProposal(...args)),
      rejectProposal: (...args) => tracked(() => proposing.rejectProposal(...args)),
      deleteFunction: (...args) => tracked(() => removing.deleteFunction(...args)),
      restoreFunction: (...args) => tracked(() => removing.restoreFunction(...args)),
      listDeleted: (...args) => tracked(() => removing.listDeleted(...args)),
      verifyFunction: (...args) => tracked(() => verifying.verifyFunction(...args)),
      promoteFunction: (...args) => tracked(() => deciding.promoteFunction(...args)),
      demoteFunction: (...args) => tracked(() => deciding.demoteFunction(...args)),
      approveFunction: (...args) => tracked(() => deciding.approveFunction(...args)),
      rejectFunction: (...args) => tracked(() => deciding.rejectFunction(...args)),
      disableFunction: (...args) => tracked(() => deciding.disableFunction(...args)),
      enableFunction: (...args) => tracked(() => deciding.enableFunction(...args)),
      recordFunctionUse: (...args) => tracked(() => recording.recordFunctionUse(...args)),
    };
  }

  const ports = new Map<string, FunctionsPort>();
  function of(agentId = USUAL_AGENT): FunctionsPort {
    const port = ports.get(agentId) ?? portOf(agentId);
    ports.set(agentId, port);
    return port;
  }

  return {
    functions: { of },
    evidence,
    archive: {
      list: () => tracked(() => shared.archive.list()),
      async restore(archiveId, actor) {
        const content = parseFile(FunctionFile, await shared.archive.read(archiveId));
        if ("reason" in content)
          throw new StorageCorruptError(`The archived function cannot be read: ${content.reason}.`);
        await of(content.value.scope.agentId).restoreFunction(content.value.id, actor);
      },
    },
    quarantined: async () => (await client.call("state", null)).quarantined,
    reconcile: () => tracked(() => agree()),
    rebuild: () => tracked(() => agree({ everything: true })),
    ready,
    embedded: () => embeddings.settled(),
    close() {
      closing ??= (async () => {
        await Promise.all([purged, ...underWay]);
        await embeddings.close();
        await client.close();
        shared.lock.close();
      })();
      return closing;
    },
  };
}
