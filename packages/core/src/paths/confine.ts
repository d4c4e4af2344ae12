import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { foldName, MAX_NAME_BYTES, nameProblem } from "./file-names.ts";
import { isBlockedPath } from "./blocked-paths.ts";

const MAX_PATH_LENGTH = 1_024;
/** Folders a path may go down, its root included. */
export const MAX_DEPTH = 32;

/** Where paths go that name no root. */
const DEFAULT_ROOT = "out";

/** A path inside a workspace root, by its words alone: no disk was asked. */
export interface ConfinedPath {
  root: string;
  /** Below the root; empty for the root itself. In Unicode form NFC. */
  segments: readonly string[];
  /** The canonical relative path, `out/notes/today.md`. */
  path: string;
}

const shown = (path: string): string => JSON.stringify(path.length > 120 ? `${path.slice(0, 120)}…` : path);

function outside(path: string, reason: string): PathOutsideWorkspaceError {
  return new PathOutsideWorkspaceError(`The path ${shown(path)} cannot be used: ${reason}.`, {
    suggestions: [`Use a relative path such as ${DEFAULT_ROOT}/notes.md.`],
    context: { path: path.slice(0, 120).toWellFormed(), reason },
  });
}

/**
 * Reads a workspace path: a first segment that names a root selects it, anything else lies under `out/`. Throws
 * `PathOutsideWorkspaceError` for every form that leads, or on some system would lead, out of the root, and for names
 * kept out of reach; `InvalidArgsError` for what is too long. Symbolic and hard links are judged where files are opened.
 */
export function confine(path: string, roots: readonly string[]): ConfinedPath {
  if (path.length > MAX_PATH_LENGTH)
    throw new InvalidArgsError(`The path is longer than ${MAX_PATH_LENGTH} characters.`);
  const text = path.normalize("NFC");
  if (text.startsWith("/")) throw outside(path, "it is absolute");
  if (text.startsWith("~")) throw outside(path, "it points to a home folder");
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  for (const segment of segments) {
    const problem = nameProblem(segment);
    if (problem !== undefined) throw outside(path, problem);
    if (isBlockedPath(segment))
      throw outside(path, "keys, secrets, databases and repositories' inner files are kept out of reach");
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
