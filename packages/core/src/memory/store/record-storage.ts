import type { ArchiveEntry } from "../../contract/http.ts";
import type { MemoryRecord } from "../../contract/memory.ts";
import { oneLine, truncate } from "../../text/format.ts";
import type { StoredSearch } from "../recall/stored-search.ts";
import type { RecordFolders, StoredMemory } from "./record-files.ts";

export type RecordKind = "memory" | "task" | "function" | "schedule";

/** The archive's data about a record besides its content. */
export interface ArchiveMetadata {
  title: string;
  /** Where it was, as the archive shows it. */
  origin: string;
  runId?: string | undefined;
  /** The archive id of the memory with which it is archived. */
  forgottenWith?: string | undefined;
}

const MAX_TITLE_LENGTH = 400;

/** The entry of the archive for a record that is removed now. `id` is the id in the archive. */
export function archiveEntryOf(
  { id, kind, title, origin, runId, forgottenWith }: ArchiveMetadata & { id: string; kind: RecordKind },
  now: Date,
): ArchiveEntry {
  return {
    id,
    kind,
    title: truncate(oneLine(title.slice(0, 4 * MAX_TITLE_LENGTH)), MAX_TITLE_LENGTH),
    origin,
    archivedAt: now.toISOString(),
    ...(runId !== undefined && { runId }),
    ...(forgottenWith !== undefined && { forgottenWith }),
  };
}

/**
 * The storage of one kind of records: memories, tasks or schedules. A write is durable when it resolves, and every process
 * reads it from then on. `Stored` is what it returns for a record.
 */
export interface RecordStorage<Value extends { id: string }, Stored = Value> {
  /** Throws `AlreadyExistsError` if the id is taken. */
  create(record: Value): Promise<Stored>;
  /** Throws `StorageCorruptError` if the record cannot be read. */
  find(id: string): Promise<Stored | undefined>;
  /**
   * Stores what `update` returns for the current record, or nothing if it returns the same object. `update` must have no
   * effects: it is called again if another process changed the record first. Undefined if there is no record.
   */
  change(id: string, update: (record: Value) => Value | Promise<Value>): Promise<Stored | undefined>;
  /** Moves a record into the archive. Undefined if there is none. */
  archive(id: string, note: (stored: Stored) => ArchiveMetadata): Promise<ArchiveEntry | undefined>;
  /** Moves a record out of the archive. Throws `NotFoundError`, and `AlreadyExistsError` if another record has its id. */
  restore(archiveId: string): Promise<Stored>;
  /** Newest first. */
  archived(): Promise<ArchiveEntry[]>;
  /** The record of an archive entry. Throws `NotFoundError`, and `StorageCorruptError` if it cannot be read. */
  readArchived(archiveId: string): Promise<Value>;
}

/** Records of which there are few enough to be read as a whole. */
export interface ListedRecords<Value extends { id: string }> extends RecordStorage<Value> {
  /** By id. Records that cannot be read are left out. */
  list(): Promise<Value[]>;
  /** Call it only when no call is pending. */
  close(): void;
}

/** The ids of imported records, by outcome. */
export interface ImportReport {
  added: string[];
  /** Identical records that already existed. */
  unchanged: string[];
  /** A different or archived record has the id; it was left unchanged. */
  conflicts: string[];
}

/** The storage of memories. It keeps the index up to date with every write. */
export interface MemoryStorage extends RecordStorage<MemoryRecord, StoredMemory> {
  /** Searches while the index is not complete; undefined if only the index searches. */
  readonly search?: StoredSearch | undefined;
  /** Creates records with new ids, all or none. Throws `OutcomeUnknownError` if they can only be found after the next start. */
  createMany(records: readonly MemoryRecord[]): Promise<void>;
  /** Creates those records that do not exist, all or none, so that importing twice changes nothing. */
  importMany(records: readonly MemoryRecord[]): Promise<ImportReport>;
  /** Reads a memory at its indexed path. Undefined if it has another id by now. */
  read(indexed: { id: string; path: string; hash?: string }): Promise<StoredMemory | undefined>;
  /** Copies a record into the archive. Undefined if there is none. */
  archiveCopy(id: string, note: (stored: StoredMemory) => ArchiveMetadata): Promise<ArchiveEntry | undefined>;
  /**
   * Resolves when the index contains what other processes stored before the call, as far as the storage has seen it.
   */
  load(): Promise<void>;
  /** Like `load`, but waits only briefly for the first load. Until it completes, searches find only the newest records. */
  catchUp(): Promise<void>;
  /** Indexes what others store until it is closed; calls `onChange` after each batch. */
  watch(onChange: () => void): Subscription;
  /** Call it only when no call is pending. */
  close(): Promise<void>;
}

/** The indexing of what other processes store. */
export interface Subscription {
  /** Resolves once every later write will be noticed. Never rejects. */
  ready: Promise<void>;
  close(): void;
}

/** The index, for a storage of memories. Only `sync` and `recheck` read the files. No method rejects. */
export interface StorageIndex {
  put(filed: readonly StoredMemory[]): Promise<void>;
  remove(id: string): Promise<void>;
  /** Reads these files again. */
  recheck(paths: readonly string[]): Promise<void>;
  /** Reads all files that changed. */
  sync(): Promise<void>;
  /** The indexed path of a memory; null if it is not indexed or the index is unavailable. */
  locate(id: string): Promise<string | null>;
}

/** The dependencies of a storage of memories. */
export interface MemoryStoragePlace {
  /** The folder from whose files the index is built. */
  root: string;
  /** Absolute path of the index, which a storage may delete before the first call. */
  database: string;
  folders: RecordFolders;
  index: StorageIndex;
  clock: () => Date;
  onWarning: (message: string, cause?: unknown) => void;
}
