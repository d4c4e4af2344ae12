import { join, posix, relative, sep } from "node:path";
import type { IndexStatus } from "../contract/http.ts";
import { openFileLock } from "../database/file-lock.ts";
import { indexThread, type IndexThread } from "../worker/index-thread.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { Embedder, EmbedderChoice } from "../vectors/embedder.ts";
import { withTimeout } from "../async/with-timeout.ts";
import { createBulkWriter } from "./store/bulk-writer.ts";
import { openEmbeddings } from "./index/embeddings.ts";
import { makeFolder, removeAbandoned } from "./store/durable-file.ts";
import { createJournals } from "./store/journal.ts";
import { createRecordArchive } from "./store/record-archive.ts";
import { createRecordFiles } from "./store/record-files.ts";
import { createRecordIds } from "./store/record-ids.ts";
import { recordFolders, topFolders } from "./store/record-paths.ts";
import { createForgetAll } from "./store/forget-all.ts";
import { createIndexSync } from "./index/index-sync.ts";
import { createIndexClient, searchIndexOf } from "./index/index-client.ts";
import { type IndexControl, indexStatus } from "./index/index-control.ts";
import { createMemoryFinder } from "./store/memory-finder.ts";
import { createMemoryList } from "./store/memory-list.ts";
import type { MemoryPort } from "./memory-port.ts";
import { createMemoryStore } from "./store/memory-store.ts";
import { createRetention, type Retire } from "./evolution/retention.ts";
import { watchFolders } from "./store/folder-watch.ts";
import { createStoreIndex } from "./index/store-index.ts";
import { createNeighbours, linkedWith } from "./recall/related.ts";
import { createLinker } from "./store/linker.ts";
import type { Measured } from "./recall/calibration.ts";
import { createRecall } from "./recall/recall.ts";
import type { MemoryUses } from "./evolution/memory-uses.ts";
import { createInMemoryUses } from "./evolution/in-memory-uses.ts";
import { createTaskTracker } from "../async/task-tracker.ts";

export interface MemoryOptions {
  paths: Pick<ProfilePaths, "memory">;
  /** The embedder that is always there. */
  embedder: Embedder;
  /** One that is used beside it, if there is any. */
  embedderChoice?: EmbedderChoice;
  /** How near is near for embedders that were measured. */
  similarities?: () => Measured;
  clock?: () => Date;
  /** When memories were of use; kept for as long as the process lives when left out. */
  uses?: MemoryUses;
  /** Told of failures that cost nothing now but should be in a log: an index worker that stopped, a journal replayed. */
  onWarning?: (message: string, cause?: unknown) => void;
  /** Called some moments after files of memories or tasks changed, whoever changed them, once the index agrees with them. */
  onChange?: () => void;
  /** Where the index is kept; the process's thread for indexes when left out. */
  thread?: IndexThread;
  /** Whether changes that others make to the files are noticed at once (default), or at the next opening and on reading. */
  watch?: boolean;
}

export interface OpenedMemory {
  memory: MemoryPort;
  index: IndexControl;
  /** What is done now and then, by whoever looks after the profile. */
  upkeep: { retire: Retire };
  /** Resolves when files and index agree for the first time; nothing has to wait for it. */
  ready: Promise<void>;
  /** Resolves when nothing waits to be embedded any more, or the embedder cannot be reached. */
  embedded: () => Promise<void>;
  /** Waits for writes under way, stops background work and the worker; what is not embedded yet waits for the next opening. */
  close(): Promise<void>;
}

/** How long a reader waits for the first reconciliation: small profiles are read within it, large ones are not waited for. */
const FIRST_READ_WAIT_MS = 300;

/** Opens a profile's memories. Returns as soon as they can be used; index and files are reconciled in the background. */
export async function openMemory(options: MemoryOptions): Promise<OpenedMemory> {
  const { paths, embedder, clock = () => new Date(), onWarning = () => undefined } = options;
  const { uses = createInMemoryUses(), onChange = () => undefined } = options;
  const { root } = paths.memory;
  const folders = recordFolders(paths.memory);
  await makeFolder(root, "the folder of the memories");

  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const recordTops = topFolders(folders);
  const taskFolders = Object.values(paths.memory.tasks).map((folder) =>
    relative(root, folder).split(sep).join(posix.sep),
  );
  const client = createIndexClient({
    thread: options.thread ?? indexThread,
    settings: {
      database: paths.memory.index,
      root,
      recordFolders: recordTops,
      taskFolders,
      embedder: facts,
    },
    onWarning,
    onRestart: () => void agreement.agree(),
  });
  const embeddings = openEmbeddings({ client, builtIn: embedder, choice: options.embedderChoice, onWarning });
  const agreement = createIndexSync({ client, embeddings, onWarning });
  const files = createRecordFiles(root, folders);
  const finder = createMemoryFinder({ client, files, folders, onWarning });
  const archive = createRecordArchive({
    folder: join(paths.memory.archive.root, "memories"),
    kind: "memory",
    clock,
  });
  const journals = createJournals({
    root,
    onUnreadable: (name, reason) =>
      onWarning(`The journal ${name} cannot be read and was left where it is: ${reason}.`),
  });
  const bulk = createBulkWriter({
    journals,
    prepare: (record) => files.prepare(record),
    isArchived: (id) => archive.has(id),
    onWarning,
  });
  const lock = openFileLock(join(root, ".lock"), "the memories");

  for (const folder of [journals.folder, archive.folder]) await removeAbandoned(folder);
  const replayed = await bulk.replay();
  if (replayed > 0) onWarning(`A bulk write that was cut short was completed: ${replayed} files.`);
  const ready = agreement.agree();
  const waited = withTimeout(FIRST_READ_WAIT_MS, ready, undefined);

  const store = createMemoryStore({
    folders,
    files,
    ids: createRecordIds("evt", clock),
    archive,
    bulk,
    lock,
    finder,
    uses,
    clock,
    index: createStoreIndex({ client, wake: () => embeddings.wake(), onWarning }),
  });
  const searchedWith = () => {
    const { embedder: wanted, isComplete } = embeddings.wanted();
    return isComplete ? wanted : embedder;
  };
  const neighbours = createNeighbours(client, searchedWith, options.similarities);
  const linker = createLinker({
    neighbours,
    embedded: () => embeddings.settled(),
    addLinks: (id, links) => store.addLinks(id, links),
    onWarning,
  });
  const retire = createRetention({ client, uses, forget: (id) => store.forget(id), clock });
  const list = createMemoryList({ client, finder });
  const recall = createRecall({
    search: searchIndexOf(client),
    meaning: embeddings.search,
    describe: (ids) => client.call("describe", ids),
    read: async (entry) => (await finder.read(entry))?.record,
    uses,
    measured: options.similarities,
    clock,
    onWarning,
  });

  const linked = linkedWith({ client, finder, neighbours });

  const forgetAll = createForgetAll({ list, forget: (id) => store.forget(id) });

  const watching =
    options.watch === false
      ? undefined
      : watchFolders({
          root,
          folders: [...recordTops, ...taskFolders],
          onFiles: (changed) => void agreement.recheck(changed).then(onChange),
          onMuch: () => void agreement.agree().then(onChange),
          onLost: (error) =>
            onWarning("Changes that others make to the memories are noticed at the next start only.", error),
        });

  const status = (): Promise<IndexStatus> => indexStatus(client, embeddings);
  const { tracked, settled } = createTaskTracker();

  let closing: Promise<void> | undefined;
  return {
    memory: {
      add: (memory, origin) =>
        tracked(
          store.add(memory, origin).then((record) => {
            linker.add(record);
            return record;
          }),
        ),
      importMany: (records) => tracked(store.importMany(records)),
      linked: (id) => tracked(linked(id)),
      usesOf: (id) => uses.countsOf(id),
      feedback: (id, feedback) => tracked(store.feedback(id, feedback)),
      feedbackOnRun: (runId, kind) =>
        tracked(
          uses
            .inRun(runId)
            .then((ids) =>
              uses.record(ids.map((memoryId) => ({ memoryId, kind, at: clock().getTime(), runId }))),
            ),
        ),
      used: (ids, how) => {
        const at = clock().getTime();
        return tracked(uses.record(ids.map((memoryId) => ({ memoryId, at, ...how }))));
      },
      forgetAll: (filter, signal) => tracked(ready.then(() => forgetAll(filter, signal))),
      addMany: (memories, origin) => tracked(store.addMany(memories, origin)),
      get: (id) => tracked(store.get(id)),
      edit: (id, edit) => tracked(store.edit(id, edit)),
      forget: (id, about) => tracked(store.forget(id, about)),
      keepCopy: (id) => tracked(store.keepCopy(id)),
      restore: (archiveId) => tracked(store.restore(archiveId)),
      archived: () => tracked(store.archived()),
      list: (query) => tracked(waited.then(() => list(query))),
      // Another process may have left something to embed.
      recall: (query, signal) =>
        tracked(waited.then(() => recall(query, signal)).finally(() => embeddings.wake())),
    },
    index: {
      status,
      async rebuild() {
        const { rebuilding } = await client.call("state", { embedder: facts });
        if (!rebuilding) void agreement.agree({ everything: true });
        return await status();
      },
      reconcile: () => tracked(agreement.agree()),
    },
    upkeep: { retire: (query) => tracked(retire(query)) },
    ready,
    embedded: () => embeddings.settled(),
    close() {
      closing ??= (async () => {
        agreement.close();
        watching?.close();
        await settled();
        await linker.close();
        await embeddings.close();
        await bulk.close();
        await client.close();
        lock.close();
      })();
      return closing;
    },
  };
}
