import type { Database } from "../../database/open-database.ts";
import { StorageCorruptError } from "../../errors/storage-errors.ts";
import type { CallHandler, CallHandlers } from "../../worker/serve-calls.ts";
import type { CloseIfIdleCall, WorkerCalls } from "../../worker/worker-client.ts";
import { yieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { readIntoCache } from "../../files/read-into-cache.ts";
import { runInSlices } from "../../database/in-slices.ts";
import type { SearchTables } from "./search-tables.ts";
import { fileIdentity, removeDatabase } from "./derived-database.ts";

/** The tables that open together, and reopen together after damage. */
interface OpenIndex {
  tables: Pick<SearchTables, "database" | "search" | "prepare">;
  /** Whether every file has to be read. */
  isNew: boolean;
}

export interface ReconcileOptions {
  /** Reads every file, changed or not. */
  everything: boolean;
  signal: AbortSignal;
  onProgress: (share: number) => void;
}

export interface DerivedIndexOptions<Opened extends OpenIndex> {
  /** Absolute path of the database. */
  database: string;
  open: () => Opened;
  /** Updates the open tables from the files. */
  sync: (now: Opened, reconciling: ReconcileOptions) => Promise<void>;
  /** Receives the error of a background reconciliation. */
  onFailure: (error: unknown) => void;
}

/** An index over files, in a database that is rebuilt whenever it is missing or damaged. */
export interface DerivedIndex<Opened extends OpenIndex> {
  /** Returns the open tables; reopens them first if the file was deleted or replaced. */
  current(): Opened;
  /** The open tables, for the later steps of a call that began with `current`. */
  opened(): Opened;
  inTransaction<Value>(work: (now: Opened) => Value): Value;
  /** Processes a list in transactions of a few milliseconds each and yields to the event loop between them. */
  inSlices<Item>(items: readonly Item[], work: (now: Opened, item: Item) => void): Promise<undefined>;
  /** Resolves when every file that existed at the call is indexed. */
  reconcile(everything: boolean): Promise<void>;
  /** The progress of the current reconciliation, 0–1; undefined if none runs. */
  currentProgress(): { isRebuilding: boolean; progress: number } | undefined;
  /** Handles calls. If a call finds the database damaged, it runs again on a new database. */
  serve<Calls extends WorkerCalls<Calls> & CloseIfIdleCall>(
    handlers: CallHandlers<Calls>,
  ): CallHandler<Calls>;
  /** Closes the database unless a reconciliation runs or reopening would be slow. Returns whether it closed. */
  closeIfIdle(finish?: (now: Opened) => void): boolean;
  /** Aborts the reconciliation, deletes words of removed texts for a moment, calls `finish` and closes the database. */
  close(finish?: (now: Opened) => void): Promise<void>;
}

interface Job {
  controller: AbortController;
  everything: boolean;
  isRebuilding: boolean;
  progress: number;
  done: Promise<void>;
}

/** The number of texts from which an index stays open: to read their vectors again would cost more than their memory. */
const MIN_SLOW_TO_OPEN = 5_000;
/** The time of one slice of upkeep, in milliseconds. */
const UPKEEP_SLICE_MS = 4;
/**
 * The time after the last change until upkeep begins, in milliseconds, unless too many words wait: an import need not wait
 * for it, and one merge for many texts takes less time than many for a few each.
 */
const UPKEEP_DELAY_MS = 250;
/**
 * The time after a change until the words of removed texts are deleted and the last new ones are merged, in milliseconds:
 * one sweep serves many removals, and one merge many texts.
 */
const IDLE_DELAY_MS = 5_000;
/** How long closing sweeps the words of removed texts, in milliseconds; the next opening sweeps what is left. */
const CLOSING_SWEEP_MS = 250;
/**
 * How the database is used. The memory for its pages, in bytes: for searches, enough for the rows of some 10 000 records,
 * which they would otherwise read from the file again and again. Writing many records takes longer with this much memory.
 * The pages of its log: while many records are written, the disk is waited for less often, and a page that many of them change
 * is copied less often.
 */
const SEARCHING = { cacheBytes: 16 * 2 ** 20, logPages: 1_000 };
const WRITING_MANY = { cacheBytes: 2 * 2 ** 20, logPages: 4_000 };
/** The number of records that are many. */
const MANY = 100;
/** The time after the last of many records until the database is used for searches, in milliseconds; more may follow. */
const WRITING_LASTS_MS = 500;

/**
 * A larger database is read once after it opens, because its first searches read pages all over it. The time before that, in
 * milliseconds, lets the first search be answered.
 */
const MIN_READ_BYTES = 8 * 2 ** 20;
const READ_DELAY_MS = 250;

export function openDerivedIndex<Opened extends OpenIndex>({
  database,
  open,
  sync,
  onFailure,
}: DerivedIndexOptions<Opened>): DerivedIndex<Opened> {
  let opened = open();
  let file = fileIdentity(database);
  let job: Job | undefined;
  /** True until everything was read once into an index that is new. */
  let isUnread = opened.isNew;
  const usage = createUsage(() => opened.tables.database);
  const upkeep = createUpkeep(() => opened.tables, onFailure);
  const reading = readLater(database, onFailure);

  function reopen({ discarding = false } = {}): void {
    job?.controller.abort();
    opened.tables.database.close();
    if (discarding) removeDatabase(database);
    opened = open();
    isUnread = opened.isNew;
    usage.apply();
    file = fileIdentity(database);
    start(false).catch(onFailure);
  }

  function current(): Opened {
    if (fileIdentity(database) !== file) reopen();
    return opened;
  }

  function start(everything: boolean): Promise<void> {
    opened.tables.prepare();
    // An earlier process may have left words to merge or to delete.
    upkeep.afterChange();
    const controller = new AbortController();
    const started: Job = {
      controller,
      everything,
      isRebuilding: everything || isUnread,
      progress: 0,
      done: Promise.resolve(),
    };
    job = started;
    const onProgress = (share: number): void => {
      started.progress = share;
      upkeep.afterChange();
    };
    const syncNow = async (): Promise<void> => {
      const reading = opened;
      await sync(reading, { everything, signal: controller.signal, onProgress });
      if (reading === opened && !controller.signal.aborted) isUnread = false;
    };
    started.done = (started.isRebuilding ? usage.whileWritingMany(syncNow) : syncNow()).finally(() => {
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
    // A running reconciliation may already have passed a file that changed since, so a new one follows, unless both
    // read everything.
    const isSufficient = everything && job.everything;
    // A reader of the state learns at once that everything is read again.
    if (everything) job.isRebuilding = true;
    await job.done.catch(() => undefined);
    if (!isSufficient) await reconcile(everything);
  }

  return {
    current,
    opened: () => opened,
    inTransaction(work) {
      const now = current();
      upkeep.afterChange();
      return now.tables.database.transaction(() => work(now));
    },
    async inSlices(items, work) {
      const database = (): Database => current().tables.database;
      const write = (): Promise<void> =>
        runInSlices(items, { database, onProgress: upkeep.afterChange }, (item) => work(opened, item));
      await (items.length < MANY ? write() : usage.whileWritingMany(write));
      return undefined;
    },
    reconcile,
    currentProgress: () => job && { isRebuilding: job.isRebuilding, progress: job.progress },
    serve: (handlers) => repeatOnDamage(handlers, () => reopen({ discarding: true })),
    closeIfIdle(finish) {
      if (job || opened.tables.search.count() >= MIN_SLOW_TO_OPEN) return false;
      usage.stop();
      upkeep.stop();
      void reading.stop();
      finish?.(opened);
      opened.tables.database.close();
      return true;
    },
    async close(finish) {
      job?.controller.abort();
      await job?.done.catch(() => undefined);
      usage.stop();
      upkeep.stop();
      await reading.stop();
      sweepBriefly(opened.tables.search, onFailure);
      finish?.(opened);
      opened.tables.database.close();
    },
  };
}

/** Handles calls. One that finds the database damaged runs again after `replace`. */
function repeatOnDamage<Calls extends WorkerCalls<Calls> & CloseIfIdleCall>(
  handlers: CallHandlers<Calls>,
  replace: () => void,
): CallHandler<Calls> {
  return {
    async call(method, params) {
      try {
        return await handlers[method](params);
      } catch (error) {
        if (!(error instanceof StorageCorruptError)) throw error;
        replace();
        return await handlers[method](params);
      }
    },
  };
}

/** Prepares the database for searches or for many writes: at once, and with `apply` after the database reopens. */
function createUsage(database: () => Database): {
  apply(): void;
  whileWritingMany<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Changes nothing from then on. */
  stop(): void;
} {
  let writing = 0;
  let timer: NodeJS.Timeout | undefined;

  function apply(): void {
    const now = database();
    if (!now.connection.open) return;
    const { cacheBytes, logPages } = writing > 0 || timer ? WRITING_MANY : SEARCHING;
    now.setCacheBytes(cacheBytes);
    now.setLogPages(logPages);
  }

  apply();
  return {
    apply,
    async whileWritingMany(work) {
      const isPrepared = writing > 0 || timer !== undefined;
      clearTimeout(timer);
      timer = undefined;
      writing += 1;
      if (!isPrepared) apply();
      try {
        return await work();
      } finally {
        writing -= 1;
        if (writing === 0)
          timer = setTimeout(() => {
            timer = undefined;
            apply();
          }, WRITING_LASTS_MS).unref();
      }
    },
    stop: () => clearTimeout(timer),
  };
}

/** Reads the database into the memory of the system, soon and in the background. */
function readLater(
  database: string,
  onFailure: (error: unknown) => void,
): {
  /** Resolves when its file is closed. */
  stop(): Promise<void>;
} {
  const controller = new AbortController();
  let reading: Promise<unknown> = Promise.resolve();
  const timer = setTimeout(() => {
    const options = { signal: controller.signal, minBytes: MIN_READ_BYTES };
    reading = readIntoCache(database, options).catch(onFailure);
  }, READ_DELAY_MS).unref();
  return {
    async stop() {
      clearTimeout(timer);
      controller.abort();
      await reading;
    },
  };
}

/** Deletes the words of removed texts for a short time, so that a short command leaves none. */
function sweepBriefly({ sweep }: OpenIndex["tables"]["search"], onFailure: (error: unknown) => void): void {
  const end = performance.now() + CLOSING_SWEEP_MS;
  try {
    while (sweep(UPKEEP_SLICE_MS) && performance.now() < end);
  } catch (error) {
    onFailure(error);
  }
}

/** Keeps the index of words up to date in the background, between other work. */
function createUpkeep(
  tables: () => OpenIndex["tables"],
  onFailure: (error: unknown) => void,
): { afterChange(): void; stop(): void } {
  let changedAt = -Infinity;
  let isRunning = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let idleTimer: NodeJS.Timeout | undefined;

  const isChanging = (): boolean => performance.now() - changedAt < UPKEEP_DELAY_MS;

  async function inUpkeepSlices(work: (search: OpenIndex["tables"]["search"]) => boolean): Promise<void> {
    do await yieldToEventLoop();
    while (tables().database.connection.open && work(tables().search));
  }

  function start(): void {
    isRunning = true;
    inUpkeepSlices((search) => search.keepUp(UPKEEP_SLICE_MS, isChanging() ? "writing" : "paused"))
      .catch(onFailure)
      .finally(() => {
        isRunning = false;
        // What was left because texts were being added is done in the next pause.
        if (isChanging()) startLater();
      });
  }

  function startLater(): void {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(start, UPKEEP_DELAY_MS).unref();
  }

  /** Deletes the words of removed texts even while others are added; merges the last new ones when none are. */
  function workWhenIdle(): void {
    idleTimer = undefined;
    inUpkeepSlices(
      (search) =>
        search.keepUp(UPKEEP_SLICE_MS, isChanging() ? "writing" : "idle") || search.sweep(UPKEEP_SLICE_MS),
    )
      .catch(onFailure)
      .finally(() => {
        if (isChanging()) startWhenIdle();
      });
  }

  function startWhenIdle(): void {
    if (!isStopped) idleTimer ??= setTimeout(workWhenIdle, IDLE_DELAY_MS).unref();
  }

  return {
    afterChange() {
      changedAt = performance.now();
      startWhenIdle();
      if (isRunning) return;
      if (tables().search.isOverdue()) {
        clearTimeout(timer);
        start();
      } else startLater();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      clearTimeout(idleTimer);
    },
  };
}
