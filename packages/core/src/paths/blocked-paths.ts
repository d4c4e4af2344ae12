import { foldName } from "./file-names.ts";

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

/** Whether a name is blocked in every workspace path: secrets, keys, databases, `.git`. */
export function isBlockedPath(name: string): boolean {
  const folded = foldName(name);
  return NAMES.has(folded) || PATTERNS.some((pattern) => pattern.test(folded));
}
