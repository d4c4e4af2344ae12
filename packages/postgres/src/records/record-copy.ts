import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { z } from "zod";
import { systemCode } from "@metahuman/core/errors/node-error";
import { withTimeout } from "@metahuman/core/async/with-timeout";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { removeDatabase } from "@metahuman/core/memory/index/derived-database";
import { fileText, hashOf } from "@metahuman/core/files/file-content";
import type { RecordHead, RecordRows, Row } from "./record-rows.ts";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";

/** A record whose file was written; `record` is null and there is no file if it was removed. */
export interface CopiedRecord<Value> {
  id: string;
  path: string;
  hash: string;
  record: Value | null;
}

/** A record whose file is to be written or removed. */
type Change<Value> = Omit<CopiedRecord<Value>, "hash">;

/** A record that this process wrote, with the number of the change. */
export type WrittenRecord<Value> = Omit<CopiedRecord<Value>, "hash"> & { seq: number };

/**
 * A copy of the records of one kind as files, for the index of this process. It follows the numbers of the changes, so
 * nothing depends on notifications. Its files are not flushed: a copy that was not closed is created again.
 */
export interface RecordCopy<Value> {
  /** Resolves when the copy contains every change that was committed before the call. Returns whether it changed. */
  load(): Promise<boolean>;
  /**
   * As `load`, but waits for the older records of a first load for `FIRST_WAIT_MS` only. The newest `ROWS_AT_ONCE` are always there.
   */
  catchUp(): Promise<void>;
  /** Whether it contains all records that were there when it was opened. */
  isComplete(): boolean;
  /** Takes over writes of this process. Never rejects: the rows are stored, and the copy catches up. */
  apply(writes: readonly WrittenRecord<Value>[]): Promise<void>;
  /** Takes over changes of other processes soon after they were made, and calls `onChange` after each that was taken over. */
  follow(onChange: () => void): { close(): void };
  /** Records how far the copy has come, so that the next opening continues from there. */
  close(): Promise<void>;
}

/** Where a copy starts. */
export interface CopyStart {
  /** What `RecordRows.head` returned before, null if it was undefined. Default: it is read. */
  head?: NonNullable<RecordHead> | null | undefined;
}

export interface RecordCopyOptions<Value> extends CopyStart {
  rows: Pick<RecordRows, "changesAfter" | "recordsBefore" | "head" | "follow">;
  root: string;
  /** The index of the copy; deleted when it belongs to another profile than the rows. */
  indexDatabase: string;
  /** The folders of the copied files, relative to `root`. */
  folders: readonly string[];
  /** The name of the file that records how far the copy has come. */
  name: string;
  /** Undefined if the body is not a record of this kind. */
  parse: (row: Row) => Value | undefined;
  /** Indexes files that were written or removed. */
  index: (records: readonly CopiedRecord<Value>[]) => Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

/** `epoch` names the profile, `seq` is null while the copy is open. */
const Position = z.strictObject({ epoch: z.string(), seq: z.number().nullable() });

/** A load of all records, under way. */
interface FirstLoad {
  /** Resolves when the newest are indexed. */
  newest: Promise<void>;
  all: Promise<void>;
}

const ROWS_AT_ONCE = 500;
/** How long reads wait for the older records of a first load, in milliseconds. */
const FIRST_WAIT_MS = 500;
const PARALLEL_WRITES = 8;
const NEW_FILES_PER_TURN = 20;

export async function openRecordCopy<Value>(options: RecordCopyOptions<Value>): Promise<RecordCopy<Value>> {
  const { rows, onWarning } = options;
  /**
   * The copy contains all changes up to this number; while its first load has not ended, those since that load began.
   * Undefined before.
   */
  let position = await continuedPosition(options);
  let isComplete = position !== undefined;
  let isClosing = false;
  /** Own writes after `position`, and changes that came during the first load, by the id of the record. */
  const ahead = new Map<string, number>();
  let next: Promise<boolean> | undefined;
  let firstLoad: FirstLoad | undefined;
  /** Changes of other processes were copied that `follow` has not reported. */
  const unreported = { any: false };

  const writer = createCopyWriter(options);
  const inTurn = createSerialQueue();

  /** Copies rows, unless the copy contains a later change of the record. Returns whether there were any. */
  async function storeRows(found: readonly Row[], first?: { isFirst: boolean }): Promise<boolean> {
    const external = found.filter(({ id, seq }) => (ahead.get(id) ?? 0) < seq);
    const changes = external.flatMap((row) => changeOf(row, options) ?? []);
    await (first?.isFirst === true ? writer.storeNew(changes) : writer.store(changes));
    unreported.any ||= external.length > 0;
    return external.length > 0;
  }

  /** The copy now contains all changes up to this number. */
  function moveTo(seq: number): void {
    position = Math.max(position ?? 0, seq);
    if (!isComplete) return;
    for (const [id, seq] of ahead) if (seq <= position) ahead.delete(id);
  }

  async function fetchChanges(): Promise<boolean> {
    let changed = false;
    while (position !== undefined && !isClosing) {
      const { rows: found, head } = await rows.changesAfter(position, ROWS_AT_ONCE);
      const end = found.at(-1);
      if (end) changed = (await storeRows(found)) || changed;
      // The first load may have read earlier states of these records.
      if (!isComplete) for (const { id, seq } of found) ahead.set(id, seq);
      const isLast = found.length < ROWS_AT_ONCE;
      moveTo(isLast ? head : (end?.seq ?? position));
      if (isLast) break;
    }
    return changed;
  }

  /** Copies all records, the newest first. Changes have their turn between the batches. */
  async function loadAll(newest: PromiseWithResolvers<void>): Promise<void> {
    position ??= (await firstHead(options))?.seq ?? 0;
    let page = await rows.recordsBefore(position + 1, ROWS_AT_ONCE);
    while (!isClosing) {
      const found = page;
      const oldest = found.length === ROWS_AT_ONCE ? found.at(-1) : undefined;
      const stored = inTurn(() => storeRows(found, { isFirst: true }));
      // The next rows are read while these are indexed.
      [page] = await Promise.all([oldest ? rows.recordsBefore(oldest.seq, ROWS_AT_ONCE) : [], stored]);
      newest.resolve(writer.lastIndexed());
      if (oldest) continue;
      await inTurn(writer.indexed);
      isComplete = true;
      return;
    }
    await inTurn(writer.indexed);
    newest.resolve();
  }

  function startFirstLoad(): FirstLoad {
    const newest = Promise.withResolvers<void>();
    const all = loadAll(newest).finally(() => {
      firstLoad = undefined;
    });
    all.catch(newest.reject);
    newest.promise.catch(() => undefined);
    return { newest: newest.promise, all };
  }

  function fetchInTurn(): Promise<boolean> {
    // A call joins a sync for changes that has not begun yet.
    next ??= inTurn(() => {
      next = undefined;
      return fetchChanges();
    });
    return next;
  }

  async function load(): Promise<boolean> {
    if (isComplete) return await fetchInTurn();
    firstLoad ??= startFirstLoad();
    await firstLoad.all;
    await fetchInTurn();
    return true;
  }

  return {
    load,
    isComplete: () => isComplete,
    async catchUp() {
      const loaded = load();
      const { newest } = firstLoad ?? {};
      await Promise.all([newest?.then(fetchInTurn), withTimeout(FIRST_WAIT_MS, loaded, undefined)]);
    },
    apply: (writes) =>
      inTurn(async () => {
        const newer = writes.filter(({ id, seq }) => seq > (position ?? 0) && seq > (ahead.get(id) ?? 0));
        try {
          await writer.store(newer);
          for (const { id, seq } of newer) ahead.set(id, seq);
          // Nobody else changed anything in between.
          for (const { seq } of newer) if (position !== undefined && seq === position + 1) moveTo(seq);
        } catch (error) {
          onWarning("A record was stored, but its copy was not written yet.", error);
        }
      }),
    follow: (onChange) =>
      takeOverChanges(
        { rows, load, unreported, isMissing: (head) => !isComplete || head > (position ?? 0) },
        { onChange, onWarning },
      ),
    async close() {
      isClosing = true;
      // Its failure was reported to those who waited for it.
      await firstLoad?.all.catch(() => undefined);
      await inTurn(() => recordPosition(options, isComplete ? position : undefined));
    },
  };
}

/** The change of the copy by a row; undefined for one that cannot be read. */
function changeOf<Value>(
  row: Row,
  { parse, onWarning }: Pick<RecordCopyOptions<Value>, "parse" | "onWarning">,
): Change<Value> | undefined {
  const { id, path } = row;
  if (row.body === null) return { id, path, record: null };
  const record = parse(row);
  if (record === undefined) onWarning(`The record ${id} cannot be read and was skipped.`);
  return record === undefined ? undefined : { id, path, record };
}

/** Writes the files of records and indexes them. New files are written while those before are indexed. */
function createCopyWriter<Value>({ root, index }: Pick<RecordCopyOptions<Value>, "root" | "index">) {
  const newFiles = newFilesIn(root);
  let indexing: Promise<void> | undefined;

  async function whenIndexed(): Promise<void> {
    const last = indexing;
    try {
      await last;
    } finally {
      if (indexing === last) indexing = undefined;
    }
  }

  return {
    /** Resolves when all new files are indexed. */
    indexed: whenIndexed,
    /** Resolves when the new files that were written last are indexed. */
    lastIndexed: (): Promise<void> | undefined => indexing,
    async store(changes: readonly Change<Value>[]): Promise<void> {
      const copied = await writeCopies(root, changes);
      await whenIndexed();
      await index(copied);
    },
    /** For files that nobody reads yet. Resolves when they are written and those before are indexed. */
    async storeNew(changes: readonly Change<Value>[]): Promise<void> {
      const copied = await newFiles.writeAll(changes);
      await whenIndexed();
      indexing = index(copied);
      // Its failure is that of the next call.
      indexing.catch(() => undefined);
    },
  };
}

/** Loads what other processes changed, and calls `onChange` after each load of it, also by a read. */
function takeOverChanges(
  copy: {
    rows: Pick<RecordRows, "follow">;
    load: () => Promise<unknown>;
    /** Whether the copy lacks changes up to this number. */
    isMissing: (head: number) => boolean;
    /** Whether changes were copied that were not reported. */
    unreported: { any: boolean };
  },
  { onChange, onWarning }: Pick<RecordCopyOptions<unknown>, "onWarning"> & { onChange: () => void },
): { close(): void } {
  let isClosed = false;
  let isFailing = false;
  let loading: Promise<void> | undefined;

  async function loadChanges(): Promise<void> {
    try {
      await copy.load();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isClosed)
        onWarning(`Changes of other processes are not noticed: ${toErrorDetail(error).message}`, error);
      isFailing = true;
    }
  }

  function report(): void {
    if (isClosed || !copy.unreported.any) return;
    copy.unreported.any = false;
    onChange();
  }

  const followed = copy.rows.follow((head) => {
    if (!copy.isMissing(head)) report();
    else
      loading ??= loadChanges().finally(() => {
        loading = undefined;
        report();
      });
  });
  return {
    close() {
      isClosed = true;
      followed.close();
    },
  };
}

type CopyPlace = Pick<
  RecordCopyOptions<unknown>,
  "rows" | "root" | "name" | "folders" | "indexDatabase" | "head"
>;

/** The head when the copy was opened, or shortly before: changes after it are copied as changes. */
async function firstHead({ rows, head }: Pick<CopyPlace, "rows" | "head">): Promise<RecordHead> {
  return head === undefined ? await rows.head() : (head ?? undefined);
}

/**
 * The state in which an earlier copy was closed. Otherwise its files are removed and the copy starts again. The index
 * may stay, unless it contains texts of another profile with this name.
 */
async function continuedPosition(place: CopyPlace): Promise<number | undefined> {
  const { root, folders, indexDatabase } = place;
  await mkdir(root, { recursive: true });
  const found = await readPosition(place);
  const head = await firstHead(place);
  const isSameProfile = found !== undefined && found.epoch === head?.epoch;
  await writePosition(place, { epoch: head?.epoch ?? "", seq: null });
  if (isSameProfile && found.seq !== null && found.seq <= head.seq) return found.seq;
  for (const folder of folders) await rm(join(root, folder), { recursive: true, force: true });
  if (!isSameProfile) removeDatabase(indexDatabase);
  return undefined;
}

/** Records how far a copy has come when it closes. Never rejects. */
async function recordPosition(
  place: CopyPlace & Pick<RecordCopyOptions<unknown>, "onWarning">,
  seq: number | undefined,
): Promise<void> {
  try {
    const head = await place.rows.head();
    // Own writes after the position will be fetched again, which changes nothing.
    if (head && seq !== undefined) await writePosition(place, { epoch: head.epoch, seq });
  } catch (error) {
    place.onWarning("How far the copy of the records has come was not recorded; it is made anew.", error);
  }
}

async function writePosition(place: CopyPlace, position: z.output<typeof Position>): Promise<void> {
  await writeFile(positionFile(place), JSON.stringify(position));
}

async function readPosition(place: CopyPlace): Promise<z.output<typeof Position> | undefined> {
  try {
    return Position.parse(JSON.parse(await readFile(positionFile(place), "utf8")));
  } catch (error) {
    if (systemCode(error) === "ENOENT" || error instanceof SyntaxError || error instanceof z.ZodError)
      return undefined;
    throw error;
  }
}

function positionFile({ root, name }: CopyPlace): string {
  return join(root, `.${name}.position`);
}

/**
 * Writes the files of a copy that nobody reads yet: an incomplete copy is created again. Synchronous, because ten
 * thousand small files take a tenth of the time.
 */
function newFilesIn(root: string) {
  const made = new Set<string>();
  function write({ path, record }: Change<unknown>): string {
    const text = fileText(record);
    const file = join(root, path);
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(file, text);
    return hashOf(text);
  }
  return {
    async writeAll<Value>(changes: readonly Change<Value>[]): Promise<CopiedRecord<Value>[]> {
      const copied: CopiedRecord<Value>[] = [];
      for (const change of changes) {
        copied.push({ ...change, hash: write(change) });
        if (copied.length % NEW_FILES_PER_TURN === 0) await nextTurn();
      }
      return copied;
    },
  };
}

/** Writes or removes the files of records, a few at a time. */
async function writeCopies<Value>(
  root: string,
  changes: readonly Change<Value>[],
): Promise<CopiedRecord<Value>[]> {
  const copied: CopiedRecord<Value>[] = [];
  const queue = changes.values();
  const writers = Array.from({ length: PARALLEL_WRITES }, async () => {
    for (const change of queue) copied.push({ ...change, hash: await writeCopy(root, change) });
  });
  await Promise.all(writers);
  return copied;
}

/** Writes or removes the file of a record; returns the hash of its text. */
async function writeCopy(
  root: string,
  { id, path, record }: Omit<CopiedRecord<unknown>, "hash">,
): Promise<string> {
  const file = join(root, path);
  if (record === null) {
    await rm(file, { force: true });
    return "";
  }
  const text = fileText(record);
  const temporary = join(dirname(file), `.${id}.tmp`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(temporary, text);
  await rename(temporary, file);
  return hashOf(text);
}
