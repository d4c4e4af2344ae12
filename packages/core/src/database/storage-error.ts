import { systemCode } from "../errors/node-error.ts";
import { PermissionDeniedError } from "../errors/access-errors.ts";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "../errors/storage-errors.ts";
import { TimeoutError } from "../errors/run-errors.ts";
import { displayPath } from "../paths/data-root.ts";
import { capitalize } from "../text/format.ts";

/** A database as errors describe it. */
export interface StorageSubject {
  title: string;
  path: string;
  /** How to recover if it cannot be read. */
  recovery: string;
}

export function corruptError(subject: StorageSubject, finding: string, cause?: unknown): StorageCorruptError {
  return new StorageCorruptError(`${capitalize(subject.title)} cannot be read: ${finding}.`, {
    suggestions: [subject.recovery],
    context: { file: displayPath(subject.path) },
    cause,
  });
}

/**
 * Maps a SQLite error to a typed error by its code. Returns constraint failures and programming errors unchanged, for the
 * store that caused them.
 */
export function toStorageError(error: unknown, subject: StorageSubject): unknown {
  const code = systemCode(error);
  if (!code?.startsWith("SQLITE_")) return error;
  const facts = { context: { file: displayPath(subject.path), systemCode: code }, cause: error };
  // Extended codes refine a base code: SQLITE_CORRUPT_INDEX, SQLITE_IOERR_WRITE.
  const family = code.split("_", 2).join("_");
  switch (family) {
    case "SQLITE_CORRUPT":
    case "SQLITE_NOTADB":
      return corruptError(subject, "its file is damaged", error);
    case "SQLITE_IOERR":
      return corruptError(subject, "the disk reported a failure", error);
    case "SQLITE_FULL":
      return new StorageFullError(
        `There is no space left for ${subject.title}; the last change was not made.`,
        { ...facts, suggestions: ["Free space on the disk that holds the data, then try again."] },
      );
    case "SQLITE_READONLY":
      return new StorageReadOnlyError(
        `${capitalize(subject.title)} cannot be written: the file or disk is read-only.`,
        facts,
      );
    case "SQLITE_CANTOPEN":
    case "SQLITE_PERM":
      return new PermissionDeniedError(`The system does not permit opening ${subject.title}.`, facts);
    case "SQLITE_BUSY":
    case "SQLITE_LOCKED":
      return new TimeoutError(
        `Another process kept ${subject.title} busy for too long; the change was not made.`,
        facts,
      );
    default:
      return error;
  }
}

/** Runs `work` and maps SQLite errors to typed errors. */
export function withStorageErrors<Result>(subject: StorageSubject, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error, subject);
  }
}

/**
 * Makes an optional change; skips it if the disk is full, read-only or busy. Do not call it inside a transaction.
 */
export function writeIfPossible(write: () => void): void {
  try {
    write();
  } catch (error) {
    const isImpossible = [StorageFullError, StorageReadOnlyError, TimeoutError].some(
      (kind) => error instanceof kind,
    );
    if (!isImpossible) throw error;
  }
}
