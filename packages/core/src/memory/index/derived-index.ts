import type { Database } from "../../database/open-database.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import type { CallHandler, CallHandlers } from "../../worker/serve-calls.ts";
import { FROM_MEMORY } from "../../vectors/vector-mirror.ts";
import type { RestCall, WorkerCalls } from "../../worker/worker-client.ts";
import { inSlices } from "../../database/in-slices.ts";
import type { SearchTables } from "./search-tables.ts";
import { identityOf, removeDatabase } from "./derived-database.ts";

/** What is opened, and opened anew, together. */
interface Opened {
  tables: Pick<SearchTables, "database" | "search">;
  /** Whether everything has to be read. */
  isNew: boolean;
}

export interface Reconciling {
  /** Read every file, changed or not. */
  everything: boolean;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

export interface DerivedIndexOptions<Now extends Opened> {
  /** Absolute path of the database. */
  database: string;
  open: () => Now;
  /** Makes what is open agree with the files. */
  agree: (now: Now, reconciling: Reconciling) => Promise<void>;
  /** Told why a reconciliation that nobody waits for ended early. */
  onFailure: (error: unknown) => void;
}

/** An index over files: a database that holds nothing else, and is made anew whenever it is gone or damaged. */
export interface DerivedIndex<Now extends Opened> {
  /** What is open, or what took its place when the file was deleted or replaced. */
  current(): Now;
  inTransaction<Value>(work: (now: Now) => Value): Value;
  /** Works through a list in transactions of some milliseconds each, between which others are answered. */
  inSlices<Item>(items: readonly Item[], work: (now: Now, item: Item) => void): Promise<undefined>;
  /** Resolves when files that were there at the call have been looked at. */
  reconcile(everything: boolean): Promise<void>;
  /** How far a reconciliation under way is, 0–1; undefined while there is none. */
  underWay(): { isRebuilding: boolean; progress: number } | undefined;
  /** Carries out calls; one that finds the database damaged is carried out again on a new one. */
  serve<Calls extends WorkerCalls<Calls> & RestCall>(handlers: CallHandlers<Calls>): CallHandler<Calls>;
  /** Closes it, unless something is under way or it would open slowly; says whether it did. */
  rest(finish?: (now: Now) => void): boolean;
  /** Stops reconciling, lets `finish` do what is left, and closes the database. */
  close(finish?: (now: Now) => void): Promise<void>;
}

interface Job {
  controller: AbortController;
  everything: boolean;
  isRebuilding: boolean;
  progress: number;
  done: Promise<void>;
}

export function openDerivedIndex<Now extends Opened>({
  database,
  open,
  agree,
  onFailure,
}: DerivedIndexOptions<Now>): DerivedIndex<Now> {
  let opened = open();
  let file = identityOf(database);
  let job: Job | undefined;

  function startAnew({ discarding = false } = {}): void {
    job?.controller.abort();
    opened.tables.database.close();
    if (discarding) removeDatabase(database);
    opened = open();
    file = identityOf(database);
    start(false).catch(onFailure);
  }

  function current(): Now {
    if (identityOf(database) !== file) startAnew();
    return opened;
  }

  function start(everything: boolean): Promise<void> {
    const controller = new AbortController();
    const started: Job = {
      controller,
      everything,
      isRebuilding: everything || opened.isNew,
      progress: 0,
      done: Promise.resolve(),
    };
    job = started;
    const onProgress = (share: number): void => {
      started.progress = share;
    };
    started.done = agree(opened, { everything, signal: controller.signal, onProgress }).finally(() => {
      if (job === started) job = undefined;
    });
    return started.done;
  }

  async function reconcile(everything: boolean): Promise<void> {
    current();
    if (!job) {
      await start(everything);
      return;
    }
    // One under way may have passed what changed since, so it does not count, unless it reads everything as asked.
    const counts = everything && job.everything;
    await job.done.catch(() => undefined);
    if (!counts) await reconcile(everything);
  }

  return {
    current,
    inTransaction(work) {
      const now = current();
      return now.tables.database.transaction(() => work(now));
    },
    async inSlices(items, work) {
      const database = (): Database => current().tables.database;
      await inSlices(items, { database }, (item) => work(opened, item));
      return undefined;
    },
    reconcile,
    underWay: () => job && { isRebuilding: job.isRebuilding, progress: job.progress },
    serve: (handlers) => ({
      async call(method, params) {
        try {
          return await handlers[method](params);
        } catch (error) {
          if (!(error instanceof StorageCorruptError)) throw error;
          startAnew({ discarding: true });
          return await handlers[method](params);
        }
      },
    }),
    rest(finish) {
      if (job || opened.tables.search.count() >= FROM_MEMORY) return false;
      finish?.(opened);
      opened.tables.database.close();
      return true;
    },
    async close(finish) {
      job?.controller.abort();
      await job?.done.catch(() => undefined);
      finish?.(opened);
      opened.tables.database.close();
    },
  };
}
