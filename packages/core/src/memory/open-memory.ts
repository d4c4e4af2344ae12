import { join, posix, relative, sep } from "node:path";
import type { IndexStatus } from "../contract/http.ts";
import { openFileLock } from "../database/file-lock.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { EmbedderChoice } from "../vectors/embedder-choice.ts";
import type { Embedder } from "../vectors/embedder.ts";
import { createBulkWriter } from "./bulk-writer.ts";
import { openEmbeddings } from "./embeddings.ts";
import { makeFolder } from "./files/durable-file.ts";
import { createJournals } from "./files/journal.ts";
import { createRecordArchive } from "./files/record-archive.ts";
import { createRecordFiles } from "./files/record-files.ts";
import { createRecordIds } from "./files/record-ids.ts";
import { recordFolders, topFolders } from "./files/record-paths.ts";
import { createIndexClient } from "./index/index-client.ts";
import type { IndexClientOptions } from "./index/index-client.ts";
import { searchIndexOf } from "./index/index-ports.ts";
import { indexStatus } from "./index-status.ts";
import type { IndexControl } from "./index-control.ts";
import { createMemoryFinder } from "./memory-finder.ts";
import { createMemoryList } from "./memory-list.ts";
import type { MemoryPort } from "./memory-port.ts";
import { createMemoryStore } from "./memory-store.ts";
import { createRecall } from "./recall/recall.ts";

export interface MemoryOptions {
  paths: Pick<ProfilePaths, "memory">;
  /** The embedder that is always there. */
  embedder: Embedder;
  /** One that is used beside it, if there is any. */
  embedderChoice?: EmbedderChoice;
  clock?: () => Date;
  /** Told of failures that cost nothing now but should be in a log: an index worker that stopped, a journal replayed. */
  onWarning?: (message: string, cause?: unknown) => void;
  /** How the index worker is started; only tests give their own. */
  startIndex?: IndexClientOptions["start"];
}

export interface OpenedMemory {
  memory: MemoryPort;
  index: IndexControl;
  /** Resolves when files and index agree for the first time; nothing has to wait for it. */
  ready: Promise<void>;
  /** Resolves when nothing waits to be embedded any more, or the embedder cannot be reached. */
  embedded: () => Promise<void>;
  /** Waits for writes under way, stops background work and the worker; what is not embedded yet waits for the next opening. */
  close(): Promise<void>;
}

/** How long a reader waits for the first reconciliation: small profiles are read within it, large ones are not waited for. */
const FIRST_READ_WAIT_MS = 300;

/** Searches get their turn between so many. */
const INDEXED_AT_ONCE = 200;

/** Opens a profile's memories. Returns as soon as they can be used; index and files are reconciled in the background. */
export async function openMemory(options: MemoryOptions): Promise<OpenedMemory> {
  const { paths, embedder, clock = () => new Date(), onWarning = () => undefined } = options;
  const { root } = paths.memory;
  const folders = recordFolders(paths.memory);
  await makeFolder(root, "the folder of the memories");

  const facts = { id: embedder.id, dimensions: embedder.dimensions };
  const client = createIndexClient({
    settings: {
      database: paths.memory.index,
      root,
      recordFolders: topFolders(folders),
      taskFolders: Object.values(paths.memory.tasks).map((folder) =>
        relative(root, folder).split(sep).join(posix.sep),
      ),
      embedder: facts,
    },
    onWarning,
    onRestart: () => void agree(),
    ...(options.startIndex && { start: options.startIndex }),
  });
  const embeddings = openEmbeddings({ client, builtIn: embedder, choice: options.embedderChoice, onWarning });
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

  let agreeing: Promise<void> | undefined;
  /** Never rejects; one that is under way stands for the next. */
  function agree({ everything = false } = {}): Promise<void> {
    if (agreeing && !everything) return agreeing;
    const done = client
      .call("reconcile", { everything })
      .then(
        () => embeddings.wake(),
        (error: unknown) => {
          if (!closing) onWarning("The memory index does not agree with the files yet.", error);
        },
      )
      .finally(() => {
        if (agreeing === done) agreeing = undefined;
      });
    agreeing = done;
    return done;
  }

  let closing: Promise<void> | undefined;
  const replayed = await bulk.replay();
  if (replayed > 0) onWarning(`A bulk write that was cut short was completed: ${replayed} files.`);
  const ready = agree();
  const waited = Promise.race([
    ready,
    new Promise((resolve) => setTimeout(resolve, FIRST_READ_WAIT_MS).unref()),
  ]);

  const store = createMemoryStore({
    folders,
    files,
    ids: createRecordIds("evt", clock),
    archive,
    bulk,
    lock,
    finder,
    clock,
    index: {
      async put(filed) {
        try {
          for (let next = 0; next < filed.length; next += INDEXED_AT_ONCE) {
            const some = filed.slice(next, next + INDEXED_AT_ONCE);
            await client.call(
              "putRecords",
              some.map(({ record, path, hash }) => ({ record, path, hash })),
            );
          }
          embeddings.wake();
        } catch (error) {
          onWarning("A memory was written but not indexed yet.", error);
        }
      },
      async remove(id) {
        await client
          .call("removeEntries", [id])
          .catch((error: unknown) => onWarning("A memory was archived but is still in the index.", error));
      },
    },
  });
  const list = createMemoryList({ client, finder });
  const recall = createRecall({
    search: searchIndexOf(client),
    meaning: embeddings.search,
    describe: (ids) => client.call("describe", ids),
    read: async (entry) => (await finder.read(entry))?.record,
    clock,
    onWarning,
  });

  const status = (): Promise<IndexStatus> => indexStatus(client, embeddings);
  const underWay = new Set<Promise<unknown>>();
  /** Closing waits for it. */
  function tracked<Value>(work: Promise<Value>): Promise<Value> {
    const settled = work.then(
      () => undefined,
      () => undefined,
    );
    underWay.add(settled);
    void settled.then(() => underWay.delete(settled));
    return work;
  }

  return {
    memory: {
      add: (memory, origin) => tracked(store.add(memory, origin)),
      addMany: (memories, origin) => tracked(store.addMany(memories, origin)),
      get: (id) => tracked(store.get(id)),
      edit: (id, edit) => tracked(store.edit(id, edit)),
      forget: (id, about) => tracked(store.forget(id, about)),
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
        if (!rebuilding) void agree({ everything: true });
        return await status();
      },
      reconcile: () => tracked(agree()),
    },
    ready,
    embedded: () => embeddings.settled(),
    close() {
      closing ??= (async () => {
        await Promise.all(underWay);
        await embeddings.close();
        await bulk.close();
        await client.close();
        lock.close();
      })();
      return closing;
    },
  };
}
