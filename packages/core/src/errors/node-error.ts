import { AlreadyExistsError, InvalidArgsError } from "./request-errors.ts";
import { FileNotFoundError } from "./not-found-errors.ts";
import type { ErrorFacts, MetahumanError } from "./metahuman-error.ts";
import { NetworkError, PortTakenError } from "./service-errors.ts";
import { PermissionDeniedError } from "./access-errors.ts";
import { StorageCorruptError, StorageFullError, StorageReadOnlyError } from "./storage-errors.ts";
import { TimeoutError, UnexpectedError } from "./run-errors.ts";

/** Returns the system code of a failed call (`ENOENT`, `SQLITE_FULL`, …), if it has one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return undefined;
  return error.code;
}

type ErrorBuilder = (subject: string, facts: ErrorFacts) => MetahumanError;

const withSuggestion = (facts: ErrorFacts, suggestion: string): ErrorFacts => ({
  ...facts,
  suggestions: [suggestion],
});

const notFound: ErrorBuilder = (subject, facts) =>
  new FileNotFoundError(`There is nothing at ${subject}.`, facts);
const permissionDenied: ErrorBuilder = (subject, facts) =>
  new PermissionDeniedError(
    `The system does not permit access to ${subject}.`,
    withSuggestion(facts, "Check the owner and the permissions of the file and its folder."),
  );
const full: ErrorBuilder = (subject, facts) =>
  new StorageFullError(
    `There is no space left to write ${subject}.`,
    withSuggestion(facts, "Free space on the disk, then try again."),
  );
const readOnly: ErrorBuilder = (subject, facts) =>
  new StorageReadOnlyError(
    `The disk that holds ${subject} is read-only.`,
    withSuggestion(facts, "Mount the disk with write access, then try again."),
  );
const corrupt: ErrorBuilder = (subject, facts) =>
  new StorageCorruptError(
    `The disk could not read or write ${subject}.`,
    withSuggestion(facts, "Check the disk for errors."),
  );
const unreachable: ErrorBuilder = (subject, facts) =>
  new NetworkError(
    `The connection to ${subject} failed.`,
    withSuggestion(facts, "Check the address and the network, then try again."),
  );

const builders: ReadonlyMap<string, ErrorBuilder> = new Map<string, ErrorBuilder>([
  ["ENOENT", notFound],
  ["ENOTDIR", notFound],
  ["EEXIST", (subject, facts) => new AlreadyExistsError(`${subject} already exists.`, facts)],
  [
    "ENOTEMPTY",
    (subject, facts) => new AlreadyExistsError(`${subject} is a folder with something in it.`, facts),
  ],
  ["EISDIR", (subject, facts) => new InvalidArgsError(`${subject} is a folder, not a file.`, facts)],
  [
    "ENAMETOOLONG",
    (subject, facts) => new InvalidArgsError(`The name of ${subject} is too long for this disk.`, facts),
  ],
  ["EACCES", permissionDenied],
  ["EPERM", permissionDenied],
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EFBIG", full],
  ["SQLITE_FULL", full],
  ["EROFS", readOnly],
  ["SQLITE_READONLY", readOnly],
  ["EIO", corrupt],
  ["SQLITE_CORRUPT", corrupt],
  ["SQLITE_NOTADB", corrupt],
  ["EADDRINUSE", (subject, facts) => new PortTakenError(`${subject} is already in use.`, facts)],
  ["ECONNREFUSED", unreachable],
  ["ECONNRESET", unreachable],
  ["EPIPE", unreachable],
  ["ENOTFOUND", unreachable],
  ["EAI_AGAIN", unreachable],
  ["EHOSTUNREACH", unreachable],
  ["ENETUNREACH", unreachable],
  ["ETIMEDOUT", (subject, facts) => new TimeoutError(`${subject} did not answer in time.`, facts)],
]);

/**
 * Converts a failed system call to a typed error. `subject` is the name that the person knows (a workspace path, a
 * host and port): the system's own message contains machine paths and stays in `cause`. An error without a known code
 * is returned unchanged; a thrown value that is not an error becomes an `UnexpectedError`.
 */
export function fromNodeError(error: unknown, subject: string): Error {
  const code = systemCode(error);
  const build = code === undefined ? undefined : builders.get(code);
  if (build) return build(subject, { cause: error, context: { subject, systemCode: code } });
  return error instanceof Error
    ? error
    : new UnexpectedError("Something unexpected went wrong.", { cause: error });
}
