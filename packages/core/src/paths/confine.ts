import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { truncate } from "../text/format.ts";
import { foldName, MAX_NAME_BYTES, invalidNameReason, isBlockedName } from "./file-names.ts";

const MAX_PATH_LENGTH = 1_024;
/** The maximum number of segments in a path, including its root. */
export const MAX_DEPTH = 32;

/** The root of paths that name none. */
const DEFAULT_ROOT = "out";

/** A validated path inside a workspace root, checked without disk access. */
export interface ConfinedPath {
  root: string;
  /** Segments below the root in Unicode form NFC; empty for the root itself. */
  segments: readonly string[];
  /** The canonical relative path, `out/notes/today.md`. */
  path: string;
}

const quotePath = (path: string): string => JSON.stringify(truncate(path, 120));

function outside(path: string, reason: string): PathOutsideWorkspaceError {
  return new PathOutsideWorkspaceError(`The path ${quotePath(path)} cannot be used: ${reason}.`, {
    suggestions: [`Use a relative path such as ${DEFAULT_ROOT}/notes.md.`],
    context: { path: path.slice(0, 120).toWellFormed(), reason },
  });
}

/**
 * Parses a workspace path: a first segment that names a root selects it, any other path is under `out/`. Throws
 * `PathOutsideWorkspaceError` for every form that leads out of the root on any system, and for blocked names;
 * `InvalidArgsError` for a path that is too long or too deep. Links are checked when files are opened.
 */
export function confine(path: string, roots: readonly string[]): ConfinedPath {
  if (path.length > MAX_PATH_LENGTH)
    throw new InvalidArgsError(`The path is longer than ${MAX_PATH_LENGTH} characters.`);
  const text = path.normalize("NFC");
  if (text.startsWith("/")) throw outside(path, "it is absolute");
  if (text.startsWith("~")) throw outside(path, "it points to a home folder");
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  for (const segment of segments) {
    const problem = invalidNameReason(segment);
    if (problem !== undefined) throw outside(path, problem);
    if (isBlockedName(segment))
      throw outside(path, "keys, secrets, databases and repository internals are not accessible");
    if (Buffer.byteLength(segment) > MAX_NAME_BYTES)
      throw new InvalidArgsError(`A name in the path is longer than ${MAX_NAME_BYTES} bytes.`);
  }
  if (segments.length > MAX_DEPTH)
    throw new InvalidArgsError(`The path is deeper than ${MAX_DEPTH} folders.`);
  const [first] = segments;
  const named = first === undefined ? undefined : roots.find((root) => foldName(root) === foldName(first));
  const root = named ?? DEFAULT_ROOT;
  const below = named === undefined ? segments : segments.slice(1);
  return { root, segments: below, path: [root, ...below].join("/") };
}
