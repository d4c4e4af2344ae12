import { join } from "node:path";
import type { AuditEvent } from "../contract/audit.ts";
import type { OperatorConfig } from "../contract/config.ts";
import type { ArchiveEntry } from "../contract/http.ts";
import { FunctionProposal, FunctionVersion, USUAL_AGENT } from "../contract/function.ts";
import { openFileLock } from "../database/file-lock.ts";
import { indexThread, type IndexThread, IDLE_TIMEOUT_MS } from "../worker/index-thread.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { openEmbeddings } from "../memory/index/embeddings.ts";
import { makeFolder } from "../memory/store/durable-file.ts";
import { parseFile } from "../memory/store/file-content.ts";
import { createRecordArchive } from "../memory/store/record-archive.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { Embedder, EmbedderChoice } from "../vectors/embedder.ts";
import { createTaskTracker } from "../async/task-tracker.ts";
import { withTimeout } from "../async/with-timeout.ts";
import { createWorkerClient } from "../worker/worker-client.ts";
import type { EvidenceTable } from "./upkeep/evidence-table.ts";
import type { FunctionActor, FunctionsOfProfile, FunctionsPort, FunctionVerifier } from "./functions-port.ts";
import { createFunctionIndexSync } from "./index/function-index-sync.ts";
import type { FunctionIndexCalls, FunctionIndexSettings } from "./index/protocol.ts";
import { createPort } from "./lifecycle/create-port.ts";
import { needsReverification, reverify } from "./verify/reverify.ts";
import type { Reverification } from "../contract/verification.ts";
import type { LifecycleDependencies } from "./lifecycle/lifecycle-parts.ts";
import { purgeDeleted } from "./lifecycle/removing.ts";
import { createFunctionFiles } from "./store/function-files.ts";
import { createFunctionStore } from "./store/function-store.ts";
import { openRecordFolder, type RecordFolder } from "./store/record-folder.ts";
import { FunctionFile } from "./store/stored-function.ts";

export interface FunctionsOptions {
  /** The owner of the functions; the agent is the other half of the scope. */
  userId: string;
  paths: Pick<ProfilePaths, "memory">;
  evidence: EvidenceTable;
  embedder: Embedder;
  embedderChoice?: EmbedderChoice;
  verifier: FunctionVerifier;
  settings: () => Promise<OperatorConfig["functions"]>;
  audit: (event: AuditEvent) => Promise<void>;
  /** Re-verifies functions whose reports follow older rules, in the background. True for one process only. */
  reverifies?: boolean;
  /** Called after each change by this process. */
  onChange?: () => void;
  /** The worker thread of the index. Default: the process's shared index thread. */
  thread?: IndexThread;
  clock?: () => Date;
  onWarning?: (message: string, cause?: unknown) => void;
}

export interface OpenedFunctions {
  functions: FunctionsOfProfile;
  evidence: EvidenceTable;
  /** The deleted functions of every agent. */
  archive: {
    list(): Promise<ArchiveEntry[]>;
    /** Throws `NotFoundError`. */
    restore(archiveId: string, actor: FunctionActor): Promise<void>;
  };
  /** Files that are not valid functions, each with the reason. */
  quarantined(): Promise<{ path: string; reason: string }[]>;
  /** Reads changed files; resolves as `rebuild` does. */
  reconcile(): Promise<void>;
  /** Reads every file again. Resolves when done; a failure is reported as a warning. */
  rebuild(): Promise<void>;
  /** Resolves when the index matches the files for the first time. */
  ready: Promise<void>;
  /** Resolves when all functions are embedded, or the embedder is unavailable. */
  embedded(): Promise<void>;
  close(): Promise<void>;
}

/** How long a reader waits for the first reconciliation, in milliseconds. */
const FIRST_READ_WAIT_MS = 300;

/** Opens the functions of a profile. Resolves once they are usable; files and index are reconciled in the background. */
export async function openFunctions(options: FunctionsOptions): Promise<OpenedFunctions> {
  const { userId, paths, evidence, embedder, onWarning = () => undefined } = options;
  const { onChange = () => undefined, thread = indexThread } = options;
  const root = paths.memory.functions;
  await makeFolder(root, "the folder of the functions");

  const indexed: FunctionIndexSettings = {
    database: paths.memory.functionIndex,
    root,
    embedder: { id: embedder.id, dimensions: embedder.dimensions },
  };
  const client = createWorkerClient<FunctionIndexCalls>({
    title: "the index of functions",
    connect: (events) => thread.connect({ kind: "functions", settings: indexed }, events),
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    onWarning,
    onRestart: () => void indexSync.sync(),
  });
  const embeddings = openEmbeddings({
    client,
    builtIn: embedder,
    choice: options.embedderChoice,
    subject: "functions",
    onWarning,
  });
  const indexSync = createFunctionIndexSync({ client, evidence, embeddings, onWarning });
  const files = createFunctionFiles(root);
  const shared = openStores(options, {
    files,
    index: client,
    evidence,
    onIndexed() {
      embeddings.schedule();
      onChange();
    },
  });

  let closing: Promise<void> | undefined;
  const ready = indexSync.sync();
  const purging = purgeDeleted(shared, shared.history).then(
    () => undefined,
    (error: unknown) => {
      if (!closing) onWarning("Functions deleted long ago could not be purged.", error);
    },
  );
  let reverification: Reverification | undefined;
  const stopping = new AbortController();
  const startReverification = async (): Promise<void> => {
    if (!options.reverifies) return;
    try {
      await ready;
      await reverify(shared, {
        all: await files.all(),
        signal: stopping.signal,
        onProgress(state) {
          reverification = state;
          onChange();
          if (state.status === "done" && state.demoted.length > 0) onWarning(demotionWarning(state));
        },
      });
    } catch (error) {
      if (!stopping.signal.aborted)
        onWarning("Functions could not be re-verified under the current rules.", error);
    }
  };
  const reverified = startReverification();
  const waited = withTimeout(FIRST_READ_WAIT_MS, ready, undefined);

  const underWay = createTaskTracker();
  /** Tracks work so that closing waits for it; waits up to a limit for the first reconciliation. */
  const tracked = <Value>(work: () => Promise<Value>): Promise<Value> => underWay.track(waited.then(work));

  const ports = new Map<string, FunctionsPort>();
  function of(agentId = USUAL_AGENT): FunctionsPort {
    const port =
      ports.get(agentId) ?? createPort({ ...shared, scope: { agentId, userId } }, embeddings.search, tracked);
    ports.set(agentId, port);
    return port;
  }

  return {
    functions: {
      of,
      reverification: () => reverification,
      awaitingReverification: async () => (await files.all()).filter(needsReverification).length,
    },
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
    reconcile: () => tracked(() => indexSync.sync()),
    rebuild: () => tracked(() => indexSync.sync({ everything: true })),
    ready,
    embedded: () => embeddings.idle(),
    close() {
      closing ??= (async () => {
        indexSync.close();
        stopping.abort();
        await Promise.all([purging, reverified, underWay.settled()]);
        await embeddings.close();
        await client.close();
        shared.lock.close();
      })();
      return closing;
    },
  };
}

/** Opens the files of functions with their history, proposals and archive. */
function openStores(
  {
    paths,
    verifier,
    settings,
    audit,
    clock = () => new Date(),
    onWarning = () => undefined,
  }: FunctionsOptions,
  {
    files,
    index,
    evidence,
    onIndexed,
  }: Pick<LifecycleDependencies, "files" | "index" | "evidence"> & { onIndexed: () => void },
): Omit<LifecycleDependencies, "scope"> & { history: RecordFolder<FunctionVersion> } {
  const root = paths.memory.functions;
  const onUnreadable = (path: string, reason: string): void =>
    onWarning(`${path} cannot be read and was skipped: ${reason}.`);
  const history = openRecordFolder({
    root: join(root, "history"),
    schema: FunctionVersion,
    subject: "the history of the function",
    onUnreadable,
  });
  return {
    history,
    store: createFunctionStore({
      files,
      index,
      history,
      evidence,
      clock,
      onIndexed,
    }),
    files,
    index,
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
}

function demotionWarning({ demoted }: Reverification): string {
  const titles = demoted.map(({ title }) => `“${title}”`).join(", ");
  return `Functions that no longer pass their checks are drafts again: ${titles}. Each says why on its page.`;
}
