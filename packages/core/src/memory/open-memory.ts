import { stat } from "node:fs/promises";
import { posix, relative, sep } from "node:path";
import type { IndexStatus } from "../contract/http.ts";
import { indexThread, type IndexThread } from "../worker/index-thread.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { StoredVectors } from "../vectors/stored-vectors.ts";
import type { Embedder, EmbedderChoice } from "../vectors/embedder.ts";
import { systemCode } from "../errors/node-error.ts";
import { withTimeout } from "../async/with-timeout.ts";
import { type Embeddings, openEmbeddings } from "./index/embeddings.ts";
import { openMemoryFiles } from "./store/memory-file-storage.ts";
import type { Subscription, MemoryStorage, MemoryStoragePlace } from "./store/record-storage.ts";
import { createRecordIds, recordFolders, topFolders } from "./store/record-files.ts";
import { createForgetAll } from "./store/forget-all.ts";
import { createIndexSync, createStoreIndex } from "./index/store-index.ts";
import { createIndexClient, type IndexClient } from "./index/index-client.ts";
import { type IndexControl, indexStatus } from "./index/index-control.ts";
import { parseIndexed } from "./index/catalog-table.ts";
import { createMemoryList, createMemoryStore } from "./store/memory-store.ts";
import type { MemoryPort } from "./memory-port.ts";
import { createRetention, type Retire } from "./evolution/retention.ts";
import { createNeighborSearch, createLinkedMemories } from "./recall/related.ts";
import { createLinker } from "./store/linker.ts";
import type { MeasuredSimilarities } from "./recall/calibration.ts";
import { fromColumns } from "./recall/candidate-columns.ts";
import { createRecall, type RecallDependencies } from "./recall/recall.ts";
import { findStoredCandidates } from "./recall/stored-search.ts";
import type { MemoryUses } from "./evolution/memory-uses.ts";
import { createInMemoryUses } from "./evolution/in-memory-uses.ts";
import { createIdleTracker, createTaskTracker } from "../async/task-tracker.ts";

export interface MemoryOptions {
  /** The files of the memories and their index. With a `storage`, a folder of this process with copies of the records. */
  paths: Pick<ProfilePaths, "memory">;
  /** Opens another storage than files. */
  storage?: (place: MemoryStoragePlace) => Promise<MemoryStorage>;
  /** The built-in embedder. */
  embedder: Embedder;
  /** The chosen embedder, if any. */
  embedderChoice?: EmbedderChoice;
  /** The vectors of the chosen embedder that processes share. */
  vectors?: StoredVectors;
  /** Measured similarity thresholds by embedder id. */
  similarities?: () => MeasuredSimilarities;
  clock?: () => Date;
  /** The store of uses; defaults to one in this process's memory. */
  uses?: MemoryUses;
  /** Receives failures to log that do not fail a call: a stopped index worker, a replayed journal. */
  onWarning?: (message: string, cause?: unknown) => void;
  /** Called shortly after memory or task files changed, once the index is up to date. */
  onChange?: () => void;
  /** The thread of the index; defaults to the process's index thread. */
  thread?: IndexThread;
  /** Whether changes by others are detected soon (default), or only on opening and reading. */
  watch?: boolean;
}

export interface OpenedMemory {
  memory: MemoryPort;
  index: IndexControl;
  /** Periodic maintenance. */
  upkeep: { retire: Retire };
  /** Resolves after the first reconciliation; calls work before it. */
  ready: Promise<void>;
  /** Resolves when every memory is embedded or the embedder is unreachable. */
  embedded: () => Promise<void>;
  /** Waits for pending writes, then stops background work. The next opening embeds the rest. */
  close(): Promise<void>;
}

/** How often recalls look for texts to embed that another process added, in milliseconds; each look is a message. */
const PENDING_CHECK_MS = 1_000;
/** How long reads wait for the first reconciliation, in milliseconds: enough for small profiles. */
const FIRST_READ_WAIT_MS = 300;
/**
 * The size of an index from which reads do not wait, and the first one precedes the reconciliation: about 1 500
 * memories, whose files are checked in some 30 ms.
 */
const LARGE_INDEX_BYTES = 8 * 2 ** 20;
/** How long the reconciliation of a large index waits for a first read to begin, and to end, in milliseconds. */
const HEAD_START_MS = 1_000;
const MAX_HEAD_START_MS = 10_000;

/**
 * From this many memories at once, embedding waits until no more are written. What a run stores is embedded at once,
 * because the next request may ask for it.
 */
const BULK = 64;

/** Opens a profile's memories. Resolves as soon as they are usable and reconciles the index in the background. */
export async function openMemory(options: MemoryOptions): Promise<OpenedMemory> {
  const { paths, embedder, clock = () => new Date(), onWarning = () => undefined } = options;
  const { uses = createInMemoryUses(), onChange = () => undefined, vectors: stored } = options;
  const folders = recordFolders(paths.memory);
  const { root, index: database } = paths.memory;
  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const client = createIndexClient({
    thread: options.thread ?? indexThread,
    settings: { database, root, ...watchedFolders(paths.memory), embedder: facts },
    onWarning,
    onRestart: () => void indexSync.sync(),
  });
  /** Until writes pause, these memories are found by words, and further writes need not wait for embeddings. */
  const bulkWrites = createIdleTracker();
  const embeddings = openEmbeddings({
    client,
    builtIn: embedder,
    choice: options.embedderChoice,
    stored,
    whenIdle: () => bulkWrites.whenIdle(),
    onWarning,
  });
  const indexSync = createIndexSync({ client, embeddings, onWarning });
  const index = createStoreIndex({
    client,
    indexSync,
    scheduleEmbedding: () => embeddings.schedule(),
    onWarning,
  });
  const size = await fileSize(database);
  const storage = await openStorage(options, client, {
    isIndexed: size > 0,
    place: { root, database, folders, index, clock, onWarning },
  });
  const { track, settled } = createTaskTracker();
  let closing: Promise<void> | undefined;
  let following: Subscription | undefined;
  const waits = { isLarge: size >= LARGE_INDEX_BYTES, catchUp: () => storage.catchUp() };
  const reconciling = startReconciliation(waits, async () => {
    if (closing !== undefined) return;
    if (options.watch !== false) following = storage.watch(onChange);
    await following?.ready;
    await bulkWrites
      .trackUrgent(storage.load())
      .catch((error: unknown) => onWarning("Memories of other processes are not indexed yet.", error));
    await indexSync.sync();
  });
  const { read } = reconciling;
  const list = createMemoryList({ client, storage });
  const store = createMemoryStore({
    storage,
    ids: createRecordIds("evt", clock),
    related: (query) => index.related(query),
    uses,
    list: (query) => read(() => list(query)),
    clock,
  });
  const searchedWith = () => {
    const { embedder: wanted, isComplete } = embeddings.status();
    return isComplete ? wanted : embedder;
  };
  const neighbors = createNeighborSearch(client, searchedWith, options.similarities);
  const linker = createLinker({
    neighbors,
    embedded: () => embeddings.idle(),
    addLinks: (id, links) => store.addLinks(id, links),
    onWarning,
  });
  const retire = createRetention({ client, uses, archive: (id) => store.archive(id), clock });
  const recall = createMemoryRecall({
    ...{ client, storage, embeddings, reconciling, read },
    ranking: { uses, measured: options.similarities, clock, onWarning },
  });
  const checkPending = createPendingCheck(() => embeddings.schedule());
  const status = (): Promise<IndexStatus> => indexStatus(client, embeddings);
  return {
    memory: createMemoryPort({
      store,
      linker,
      linked: createLinkedMemories({ client, storage, neighbors }),
      uses,
      list: (query) => track(read(() => list(query))),
      recall: (query, signal) => track(recall(query, signal)).finally(checkPending),
      forgetAll: createForgetAll({ list, archive: (id) => store.archive(id) }),
      ready: reconciling.ready,
      track,
      trackMany: (count, work) => track(count < BULK ? work : bulkWrites.trackUrgent(work)),
      clock,
    }),
    index: {
      status,
      async rebuild() {
        const { rebuilding } = await client.call("state", { embedder: facts });
        if (!rebuilding) void indexSync.sync({ everything: true });
        return await status();
      },
      reconcile: () => track(indexSync.sync()),
    },
    upkeep: { retire: (query) => track(retire(query)) },
    ready: reconciling.ready,
    embedded: () => indexSync.settled().then(() => embeddings.idle()),
    close() {
      closing ??= (async () => {
        indexSync.close();
        following?.close();
        await settled();
        await linker.close();
        await embeddings.close();
        await storage.close();
        await client.close();
      })();
      return closing;
    },
  };
}

/**
 * Opens the chosen storage, by default files, and the index, which takes longer: one that exists opens meanwhile. Its
 * errors are reported by the first request.
 */
async function openStorage(
  { storage, paths }: MemoryOptions,
  client: IndexClient,
  { isIndexed, place }: { isIndexed: boolean; place: MemoryStoragePlace },
): Promise<MemoryStorage> {
  const openIndex = (): void => void client.call("countEntries", null).catch(() => undefined);
  const watched = Object.values(watchedFolders(paths.memory)).flat();
  // Another storage may delete an index that belongs to other records.
  const opensMeanwhile = isIndexed && storage === undefined;
  if (opensMeanwhile) openIndex();
  try {
    const opened = storage
      ? await storage(place)
      : await openMemoryFiles({ ...place, archiveRoot: paths.memory.archive.root, watched });
    if (!opensMeanwhile) openIndex();
    return opened;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Looks for texts to embed that another process may have added, at most every `PENDING_CHECK_MS`. */
function createPendingCheck(scheduleEmbedding: () => void): () => void {
  let checkedAt = -Infinity;
  return () => {
    if (performance.now() - checkedAt < PENDING_CHECK_MS) return;
    checkedAt = performance.now();
    scheduleEmbedding();
  };
}

/** What recall reads from the index and the files: candidates and whole memories. */
function recallSource(client: IndexClient): Pick<RecallDependencies, "candidates" | "read"> {
  return {
    async candidates(query) {
      const { columns, strongest, records } = await client.call("candidates", query);
      const texts = new Map(records.map((record) => [record.id, record]));
      return {
        strongest,
        candidates: fromColumns(columns),
        recordOf(id) {
          const text = texts.get(id);
          return text && parseIndexed(text);
        },
      };
    },
    read: (entries) =>
      client.call(
        "records",
        entries.map(({ id }) => id),
      ),
  };
}

/** A recall of the index, or of a storage that can search while the index is not complete. */
function createMemoryRecall({
  client,
  storage,
  embeddings,
  reconciling,
  read,
  ranking,
}: {
  client: IndexClient;
  storage: MemoryStorage;
  embeddings: Embeddings;
  reconciling: Pick<ReturnType<typeof startReconciliation>, "readElsewhere">;
  /** Runs a read of the index. */
  read: <Result>(work: () => Promise<Result>) => Promise<Result>;
  ranking: Pick<RecallDependencies, "uses" | "measured" | "clock" | "onWarning">;
}): ReturnType<typeof createRecall> {
  const { search } = storage;
  const recallIndexed = createRecall({
    embedQuery: embeddings.search.embedQuery,
    ...recallSource(client),
    ...ranking,
  });
  return async (query, signal) => {
    const state = await search?.state();
    if (!search || !state) return await read(() => recallIndexed(query, signal));
    const recallStored = createRecall({
      embedQuery: (text, aborting) => embeddings.search.embedQueryFor(state.embedders, text, aborting),
      candidates: (wanted) => findStoredCandidates(search, state, wanted),
      read: (entries) => Promise.all(entries.map(async ({ id }) => (await storage.find(id))?.record ?? null)),
      ...ranking,
    });
    return await reconciling.readElsewhere(() => recallStored(query, signal));
  };
}

/** The watched folders of records and tasks, relative to the folder of the memories. */
function watchedFolders(memory: ProfilePaths["memory"]): { recordFolders: string[]; taskFolders: string[] } {
  const taskFolders = Object.values(memory.tasks).map((folder) =>
    relative(memory.root, folder).split(sep).join(posix.sep),
  );
  return { recordFolders: topFolders(recordFolders(memory)), taskFolders };
}

/**
 * Starts the first reconciliation of the index with the files. Reads of a small index wait for it for a moment; the first
 * read of a large one comes before it.
 */
function startReconciliation(
  { isLarge, catchUp }: { isLarge: boolean; catchUp: () => Promise<void> },
  reconcile: () => Promise<void>,
): {
  ready: Promise<void>;
  /** Runs a read of the index, after what others changed before it. */
  read: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Runs a read that needs no index, without waiting. */
  readElsewhere: <Result>(work: () => Promise<Result>) => Promise<Result>;
} {
  const firstRead = Promise.withResolvers<undefined>();
  let isReading = false;
  async function reconcileInTurn(): Promise<void> {
    if (isLarge) await withTimeout(HEAD_START_MS, firstRead.promise, undefined);
    // A read that has begun ends before later ones.
    if (isLarge && isReading) await withTimeout(MAX_HEAD_START_MS, firstRead.promise, undefined);
    await reconcile();
  }
  const ready = reconcileInTurn();
  const waited = isLarge ? Promise.resolve() : withTimeout(FIRST_READ_WAIT_MS, ready, undefined);
  const readAfter = async <Result>(
    before: Promise<unknown>,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    isReading = true;
    try {
      await before;
      return await work();
    } finally {
      firstRead.resolve(undefined);
    }
  };
  return {
    ready,
    read: (work) => readAfter(Promise.all([waited, catchUp()]), work),
    readElsewhere: (work) => readAfter(Promise.resolve(), work),
  };
}

/** Combines the store, the list, recall and the uses of memories into the port. Closing waits for tracked calls. */
function createMemoryPort({
  store,
  linker,
  linked,
  uses,
  list,
  recall,
  forgetAll,
  ready,
  track,
  trackMany,
  clock,
}: Pick<MemoryPort, "list" | "recall" | "linked" | "forgetAll"> & {
  store: ReturnType<typeof createMemoryStore>;
  linker: ReturnType<typeof createLinker>;
  uses: MemoryUses;
  ready: Promise<void>;
  track: ReturnType<typeof createTaskTracker>["track"];
  /** Tracks a write of `count` records. */
  trackMany: <Value>(count: number, work: Promise<Value>) => Promise<Value>;
  clock: () => Date;
}): MemoryPort {
  return {
    add: (memory, origin) =>
      track(
        store.add(memory, origin).then((record) => {
          linker.add(record);
          return record;
        }),
      ),
    importMany: (records) => trackMany(records.length, store.importMany(records)),
    linked: (id) => track(linked(id)),
    usesOf: (id) => uses.countsOf(id),
    feedback: (id, feedback) => track(store.feedback(id, feedback)),
    feedbackOnRun: (runId, kind) =>
      track(
        uses
          .inRun(runId)
          .then((ids) =>
            uses.record(ids.map((memoryId) => ({ memoryId, kind, at: clock().getTime(), runId }))),
          ),
      ),
    used: (ids, how) => {
      const at = clock().getTime();
      return track(uses.record(ids.map((memoryId) => ({ memoryId, at, ...how }))));
    },
    forgetAll: (filter, signal) => track(ready.then(() => forgetAll(filter, signal))),
    addMany: (memories, origin) => trackMany(memories.length, store.addMany(memories, origin)),
    get: (id) => track(store.get(id)),
    edit: (id, edit) => track(store.edit(id, edit)),
    forget: (id, about) => track(store.forget(id, about)),
    keepCopy: (id) => track(store.keepCopy(id)),
    restore: (archiveId) => track(store.restore(archiveId)),
    archived: () => track(store.archived()),
    readArchived: (archiveId) => track(store.readArchived(archiveId)),
    list,
    recall,
  };
}

/** 0 if there is no such file. Whether it may exist is checked when the storage opens. */
async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES") return undefined;
    throw error;
  });
  return found?.size ?? 0;
}
