import type { AuditEvent } from "../contract/audit.ts";
import type { OperatorConfig } from "../contract/config.ts";
import type { ArchiveEntry } from "../contract/http.ts";
import { DEFAULT_AGENT } from "../contract/function.ts";
import { indexThread, type IndexThread, IDLE_TIMEOUT_MS } from "../worker/index-thread.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { openWhenUsed } from "../memory/open-when-used.ts";
import { openEmbeddings } from "../memory/index/embeddings.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { Embedder, EmbedderChoice } from "../vectors/embedder.ts";
import { createTaskTracker } from "../async/task-tracker.ts";
import { withTimeout } from "../async/with-timeout.ts";
import { createWorkerClient } from "../worker/worker-client.ts";
import type { EvidenceTable } from "./upkeep/evidence-table.ts";
import type { FunctionActor, FunctionsOfProfile, FunctionsPort, FunctionVerifier } from "./functions-port.ts";
import { createFunctionIndexSync } from "./index/function-index-sync.ts";
import { type FunctionIndexCalls, type FunctionIndexSettings, skipEmptyIndex } from "./index/protocol.ts";
import { createDecisionMethods } from "./lifecycle/deciding.ts";
import { createEditMethods } from "./lifecycle/editing.ts";
import { createProposalMethods } from "./lifecycle/proposing.ts";
import { createReadMethods } from "./lifecycle/read-methods.ts";
import { createResultMethods } from "./lifecycle/recording.ts";
import { createRemovalMethods, purgeDeleted } from "./lifecycle/removing.ts";
import { createWordingMethods } from "./lifecycle/wordings.ts";
import { createSaveMethods } from "./lifecycle/saving.ts";
import { createVerificationMethods } from "./verify/verify-function.ts";
import { needsReverification, reverify } from "./verify/reverify.ts";
import type { Reverification } from "../contract/verification.ts";
import type { LifecycleDependencies } from "./lifecycle/lifecycle-parts.ts";
import {
  createFunctionStore,
  type FunctionStorage,
  type FunctionStoragePlace,
  openFunctionFiles,
} from "./store/function-store.ts";
import type { SummaryOf } from "./store/fields-of-calls.ts";
import type { StoredFunction } from "./store/stored-function.ts";

export interface FunctionsOptions {
  /** The owner of the functions; the agent is the other half of the scope. */
  userId: string;
  /** The files of the functions and their index. With a `storage`, a folder of this process with copies of the functions. */
  paths: Pick<ProfilePaths, "memory">;
  /** Opens another storage than files. */
  storage?: (place: FunctionStoragePlace) => Promise<FunctionStorage>;
  evidence: EvidenceTable;
  embedder: Embedder;
  embedderChoice?: EmbedderChoice;
  verifier: FunctionVerifier;
  /** The summary of an installed skill. Steps of recipes are written from it; without it, they show the ids of skills. */
  summaryOf?: SummaryOf;
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
    /** Throws `NotFoundError`, and `StorageCorruptError` if it cannot be read. */
    read(archiveId: string): Promise<StoredFunction>;
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
  /** Resolves when the calls that run have ended and all functions are embedded, or the embedder is unavailable. */
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
  const clock = options.clock ?? (() => new Date());

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
  const index = skipEmptyIndex(client);
  const embeddings = openEmbeddings({
    client: index,
    builtIn: embedder,
    choice: options.embedderChoice,
    subject: "functions",
    onWarning,
  });
  const indexSync = createFunctionIndexSync({ client: index, evidence, embeddings, onWarning });
  const onIndexed = (): void => {
    embeddings.schedule();
    onChange();
  };
  const storage = await openStorage(options, {
    root,
    database: paths.memory.functionIndex,
    async reindex(changed) {
      if (changed.length === 0) return;
      await index.call("reindex", changed);
      onIndexed();
    },
    onWarning,
  });
  const { files, history } = storage;
  const shared: Omit<LifecycleDependencies, "scope"> = {
    ...storage,
    store: createFunctionStore({ files, index, history, evidence, clock, onIndexed }),
    index,
    evidence,
    verifier: options.verifier,
    summaryOf: options.summaryOf ?? (() => undefined),
    settings: options.settings,
    audit: options.audit,
    clock,
  };

  let closing: Promise<void> | undefined;
  const isEmpty = loadAll(storage, onWarning);
  const ready = isEmpty.then((nothing) => (nothing ? index.noteEmpty() : indexSync.sync()));
  const following = storage.follow();
  const purging = purgeDeleted(shared).then(
    () => undefined,
    (error: unknown) => {
      if (!closing) onWarning("Functions deleted long ago could not be purged.", error);
    },
  );
  let reverification: Reverification | undefined;
  const stopping = new AbortController();
  const reverified = options.reverifies
    ? reverifyAll(shared, {
        hasFunctions: async () => {
          await ready;
          return !(await isEmpty);
        },
        signal: stopping.signal,
        onProgress(state) {
          reverification = state;
          onChange();
        },
        onWarning,
      })
    : Promise.resolve();
  const { tracked, settled } = trackCalls(ready, storage);

  const portOf = portsByAgent((agentId) =>
    createPort({ ...shared, scope: { agentId, userId } }, embeddings.search, tracked),
  );

  return {
    functions: {
      of: portOf,
      reverification: () => reverification,
      awaitingReverification: async () => (await files.all()).filter(needsReverification).length,
    },
    evidence,
    archive: {
      list: () => tracked(() => storage.archive.list()),
      read: (archiveId) => tracked(() => readArchived(storage, archiveId)),
      async restore(archiveId, actor) {
        const { id, scope } = await readArchived(storage, archiveId);
        await portOf(scope.agentId).restoreFunction(id, actor);
      },
    },
    quarantined: async () => (await index.call("state", null)).quarantined,
    reconcile: () => tracked(() => indexSync.sync()),
    rebuild: () => tracked(() => indexSync.sync({ everything: true })),
    ready,
    embedded: () => Promise.all([ready, settled()]).then(() => embeddings.idle()),
    close() {
      closing ??= (async () => {
        indexSync.close();
        following.close();
        stopping.abort();
        await Promise.all([purging, reverified, settled()]);
        await embeddings.close();
        await storage.close();
        await client.close();
      })();
      return closing;
    },
  };
}

/** Returns a function that creates the port of each agent once. */
function portsByAgent(create: (agentId: string) => FunctionsPort): (agentId?: string) => FunctionsPort {
  const ports = new Map<string, FunctionsPort>();
  return (agentId = DEFAULT_AGENT) => {
    const port = ports.get(agentId) ?? create(agentId);
    ports.set(agentId, port);
    return port;
  };
}

/** Throws `NotFoundError`, and `StorageCorruptError` if it cannot be read. */
async function readArchived(
  { archive }: Pick<FunctionStorage, "archive">,
  archiveId: string,
): Promise<StoredFunction> {
  const content = await archive.read(archiveId);
  if ("reason" in content)
    throw new StorageCorruptError(`The archived function cannot be read: ${content.reason}.`);
  return content.value;
}

/** Loads what other processes stored. Returns whether there is no function at all. Never rejects. */
async function loadAll(
  storage: Pick<FunctionStorage, "load" | "isEmpty">,
  onWarning: (message: string, cause?: unknown) => void,
): Promise<boolean> {
  try {
    await storage.load();
    return await storage.isEmpty();
  } catch (error) {
    onWarning("The functions of other processes are not indexed yet.", error);
    return false;
  }
}

/** Creates the port of one scope. `tracked` wraps each call, so that closing waits for it. */
function createPort(
  parts: LifecycleDependencies,
  search: Parameters<typeof createReadMethods>[1],
  tracked: <Value>(work: () => Promise<Value>) => Promise<Value>,
): FunctionsPort {
  const verifying = createVerificationMethods(parts);
  const proposing = createProposalMethods(parts, verifying);
  const deciding = createDecisionMethods(parts, verifying);
  const port: FunctionsPort = {
    ...verifying,
    ...proposing,
    ...deciding,
    ...createSaveMethods(parts, verifying),
    ...createEditMethods(parts, proposing),
    ...createRemovalMethods(parts),
    ...createReadMethods(parts, search),
    ...createWordingMethods(parts),
    ...createResultMethods(parts, deciding),
  };
  return forwardFunctionCalls((work) => tracked(() => work(port)));
}

/**
 * Tracks calls, so that closing waits for them. A call begins after the first reconciliation, for which it waits up to a limit,
 * and after what others changed is indexed.
 */
function trackCalls(ready: Promise<void>, storage: Pick<FunctionStorage, "catchUp">) {
  const { track, settled } = createTaskTracker();
  const waited = withTimeout(FIRST_READ_WAIT_MS, ready, undefined);
  async function begin<Value>(work: () => Promise<Value>): Promise<Value> {
    await waited;
    await storage.catchUp();
    return await work();
  }
  return { tracked: <Value>(work: () => Promise<Value>): Promise<Value> => track(begin(work)), settled };
}

/** The chosen storage, by default files. */
async function openStorage(
  { storage, paths, clock = () => new Date() }: FunctionsOptions,
  place: FunctionStoragePlace,
): Promise<FunctionStorage> {
  return storage
    ? await storage(place)
    : await openFunctionFiles({ ...place, archiveRoot: paths.memory.archive.root, clock });
}

/** Re-verifies functions whose reports follow older rules. Never rejects. */
async function reverifyAll(
  parts: Omit<LifecycleDependencies, "scope">,
  {
    hasFunctions,
    signal,
    onProgress,
    onWarning,
  }: {
    /** Resolves when the index is up to date. */
    hasFunctions: () => Promise<boolean>;
    signal: AbortSignal;
    onProgress: (state: Reverification) => void;
    onWarning: (message: string, cause?: unknown) => void;
  },
): Promise<void> {
  try {
    if (!(await hasFunctions())) return;
    await reverify(parts, {
      all: await parts.files.all(),
      signal,
      onProgress(state) {
        onProgress(state);
        if (state.status === "done" && state.demoted.length > 0) onWarning(demotionWarning(state));
      },
    });
  } catch (error) {
    if (!signal.aborted) onWarning("Functions could not be re-verified under the current rules.", error);
  }
}

function demotionWarning({ demoted }: Reverification): string {
  const titles = demoted.map(({ title }) => `“${title}”`).join(", ");
  return `Functions that no longer pass their checks are drafts again: ${titles}. Each says why on its page.`;
}

/** What an open profile needs of its functions. */
export type UsedFunctions = Omit<OpenedFunctions, "evidence" | "ready" | "embedded">;

/** Functions that `open` opens when they are first used. */
export function openFunctionsWhenUsed(open: () => Promise<OpenedFunctions>): UsedFunctions {
  const { use, opened, close } = openWhenUsed("the functions", open);
  const portOf = portsByAgent((agentId) =>
    forwardFunctionCalls(async (work) => work((await use()).functions.of(agentId))),
  );
  return {
    functions: {
      of: portOf,
      reverification: () => opened()?.functions.reverification(),
      awaitingReverification: async () => (await use()).functions.awaitingReverification(),
    },
    archive: {
      list: async () => (await use()).archive.list(),
      read: async (...args) => (await use()).archive.read(...args),
      restore: async (...args) => (await use()).archive.restore(...args),
    },
    quarantined: async () => (await use()).quarantined(),
    reconcile: async () => (await use()).reconcile(),
    rebuild: async () => (await use()).rebuild(),
    close,
  };
}

/** A port each of whose calls is made by `call`, which chooses the port that it is made on, and when. */
function forwardFunctionCalls(
  call: <Value>(work: (port: FunctionsPort) => Promise<Value>) => Promise<Value>,
): FunctionsPort {
  return {
    saveFunction: (...args) => call((port) => port.saveFunction(...args)),
    loadFunction: (...args) => call((port) => port.loadFunction(...args)),
    findByName: (...args) => call((port) => port.findByName(...args)),
    listFunctions: (...args) => call((port) => port.listFunctions(...args)),
    nearestRecipes: (...args) => call((port) => port.nearestRecipes(...args)),
    queryFunctions: (...args) => call((port) => port.queryFunctions(...args)),
    updateFunction: (...args) => call((port) => port.updateFunction(...args)),
    versions: (...args) => call((port) => port.versions(...args)),
    restoreVersion: (...args) => call((port) => port.restoreVersion(...args)),
    proposeRevision: (...args) => call((port) => port.proposeRevision(...args)),
    listProposals: (...args) => call((port) => port.listProposals(...args)),
    acceptProposal: (...args) => call((port) => port.acceptProposal(...args)),
    rejectProposal: (...args) => call((port) => port.rejectProposal(...args)),
    deleteFunction: (...args) => call((port) => port.deleteFunction(...args)),
    restoreFunction: (...args) => call((port) => port.restoreFunction(...args)),
    listDeleted: (...args) => call((port) => port.listDeleted(...args)),
    deletedFunctions: (...args) => call((port) => port.deletedFunctions(...args)),
    verifyFunction: (...args) => call((port) => port.verifyFunction(...args)),
    promoteFunction: (...args) => call((port) => port.promoteFunction(...args)),
    demoteFunction: (...args) => call((port) => port.demoteFunction(...args)),
    approveFunction: (...args) => call((port) => port.approveFunction(...args)),
    rejectFunction: (...args) => call((port) => port.rejectFunction(...args)),
    disableFunction: (...args) => call((port) => port.disableFunction(...args)),
    enableFunction: (...args) => call((port) => port.enableFunction(...args)),
    teachWording: (...args) => call((port) => port.teachWording(...args)),
    refuseWording: (...args) => call((port) => port.refuseWording(...args)),
    forgetWording: (...args) => call((port) => port.forgetWording(...args)),
    recordFunctionUse: (...args) => call((port) => port.recordFunctionUse(...args)),
  };
}
