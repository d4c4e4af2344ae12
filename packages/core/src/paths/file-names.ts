import { InvalidArgsError, PathOutsideWorkspaceError } from "../errors/request-errors.ts";
import { truncate } from "../text/format.ts";

/** The maximum length of a file name on common file systems, in bytes of UTF-8. */
export const MAX_NAME_BYTES = 255;

/** Characters that look like a slash, or become one under Unicode normalization. */
const SLASHES = /[\u2044\u2215\u2216\u27CB\u27CD\u29F5\u29F8\u29F9\u2571\u2572\uFE68\uFF0F\uFF3C]/u;

/** Format characters that hide or reorder text, except the two joiners, which scripts and emoji need. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/u;

/** `%2e`, `%2f`, `%5c` and `%00`, also double-encoded. Another program might decode them. */
const ENCODED = /%(?:25)*(?:2e|2f|5c|00)/iu;

/** Device names that Windows reserves in every folder, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)$/u;

/** The normalized form of a name, equal for names that some file system treats as the same. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[\u200C\u200D]/gu, "")
    .toLowerCase();
}

/**
 * The reason why a name cannot be a segment of a workspace path; undefined if it can. Equally strict on every system,
 * because a profile may be moved to another one.
 */
export function invalidNameReason(name: string): string | undefined {
  const folded = foldName(name);
  if (folded === ".." || folded === ".") return "it points to another folder";
  if (/[/\\]/u.test(folded) || SLASHES.test(name))
    return "it contains a character that acts or looks like a slash";
  if (ENCODED.test(name)) return "it contains an encoded dot or slash";
  if (folded.includes(":")) return "it contains a colon";
  if (HIDDEN.test(name) || !name.isWellFormed()) return "it contains an invisible or broken character";
  if (/[.\s]$/u.test(folded)) return "it ends in a dot or a space";
  if (DEVICES.test(folded.split(".")[0]?.trimEnd() ?? "")) return "it is the name of a device on Windows";
  return undefined;
}

/** Folders and files with keys, passwords or history, which the operator must not access. */
const NAMES: ReadonlySet<string> = new Set([
  ".git",
  "git~1",
  ".hg",
  ".svn",
  ".ssh",
  ".gnupg",
  ".aws",
  ".azure",
  ".kube",
  ".docker",
  ".password-store",
  ".env",
  ".netrc",
  "_netrc",
  ".npmrc",
  ".pypirc",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".htpasswd",
]);

const PATTERNS: readonly RegExp[] = [
  // Settings with secrets, except samples for version control.
  /^\.env\.(?!(?:example|sample|template)$)/u,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?!.*\.pub$)/u,
  /\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk)$/u,
  /\.(?:db|db3|sqlite|sqlite3|mdb|accdb)(?:-(?:wal|shm|journal))?$/u,
  // Unfinished workspace writes.
  /^\.mh-\d+-[0-9a-f]{12}\.tmp$/u,
];

/** True if no workspace path may contain the name: secrets, keys, databases, `.git`. */
export function isBlockedName(name: string): boolean {
  const folded = foldName(name);
  return NAMES.has(folded) || PATTERNS.some((pattern) => pattern.test(folded));
}

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

const tooLong = () => new InvalidArgsError(`The path is longer than ${MAX_PATH_LENGTH} characters.`);
const tooDeep = () => new InvalidArgsError(`The path is deeper than ${MAX_DEPTH} folders.`);

/** Throws `InvalidArgsError` if a path would be too long or too deep to be opened. */
export function assertReachable(path: string): void {
  if (path.length > MAX_PATH_LENGTH) throw tooLong();
  if (path.split("/").length > MAX_DEPTH) throw tooDeep();
}

/**
 * Parses a workspace path: a first segment that names a root selects it, any other path is under `out/`. Throws
 * `PathOutsideWorkspaceError` for every form that leads out of the root on any system, and for blocked names;
 * `InvalidArgsError` for a path that is too long or too deep. Links are checked when files are opened.
 */
export function confine(path: string, roots: readonly string[]): ConfinedPath {
  if (path.length > MAX_PATH_LENGTH) throw tooLong();
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
  if (segments.length > MAX_DEPTH) throw tooDeep();
  const [first] = segments;
  const named = first === undefined ? undefined : roots.find((root) => foldName(root) === foldName(first));
  const root = named ?? DEFAULT_ROOT;
  const below = named === undefined ? segments : segments.slice(1);
  return { root, segments: below, path: [root, ...below].join("/") };
}
