import fc from "fast-check";

/** Paths that lead out of a workspace root on some system, or to something blocked in it. */
export const hostilePaths: readonly string[] = [
  // Up
  "..",
  "../profile.json",
  "../../../../../../etc/passwd",
  "out/..",
  "out/../profile.json",
  "out/notes/../../state.db",
  "notes/..",
  "./../x",
  "...",
  ".. /x",
  "..\u200B/x",
  // Absolute and home
  "/",
  "/etc/passwd",
  "//server/share/x",
  "~",
  "~/.ssh/config",
  "~root/x",
  "file:///etc/passwd",
  // Windows
  "C:\\Windows\\win.ini",
  "C:/Windows/win.ini",
  "c:x",
  "\\\\server\\share\\x",
  "\\\\?\\C:\\x",
  "..\\x",
  "out\\..\\..\\x",
  "notes.md:hidden",
  "notes.md::$DATA",
  "CON",
  "con.txt",
  "Aux.md",
  "out/NUL",
  "COM1",
  "com\u00B9.log",
  "lpt9.md",
  "CONIN$",
  "notes.",
  "notes ",
  "folder./x",
  "folder /x",
  // Characters that act, look or decode like others
  "x\0.md",
  "\0",
  "x\n.md",
  "x\u001B[2J",
  "\u2025/x",
  "\uFF0E\uFF0E/x",
  "\u2024\u2024/x",
  "..\u2215x",
  "..\u2044..\u2044x",
  "..\uFF0F..\uFF0Fx",
  "..\uFF3Cx",
  "a\u29F8b",
  "%2e%2e/x",
  "%2e%2e%2fx",
  "..%252fx",
  "..%5cx",
  "x%00.md",
  "gpj.\u202Eexe",
  "\uFEFFx",
  "\uD800x",
  // Blocked
  ".git/config",
  ".GIT/hooks/post-commit",
  ".g\u200Dit/config",
  "\uFF0Egit/config",
  "git~1/config",
  ".env",
  ".Env",
  "out/.env.local",
  ".ENV.production",
  "id_rsa",
  "out/ID_ED25519",
  "server.pem",
  "tls/site.KEY",
  "passwords.kdbx",
  ".ssh/authorized_keys",
  ".netrc",
  ".npmrc",
  "state.db",
  "state.db-wal",
  "memory/index/memory.DB",
  "a.sqlite",
  ".mh-1-0123456789ab.tmp",
];

const plainName = fc.stringMatching(/^[a-z][a-z0-9_-]{0,7}$/u).map((name) => `x-${name}`);

const anyCase = (word: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
    .map((upper) =>
      Array.from(word, (letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join(""),
    );

/** A segment that is invalid anywhere in a path. */
const hostileSegment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("..", "\u2025", "\uFF0E\uFF0E", "%2e%2e", "%252E%252e", ".\u200D."),
  fc.tuple(plainName, fc.constantFrom(".", " ", "..", ". ", "\u00A0")).map((parts) => parts.join("")),
  fc
    .tuple(
      plainName,
      fc.constantFrom("\0", "\n", "\u0085", "\u200B", "\u202E", "\u2066", "\uFEFF", "\u2028", "\uDC00"),
      plainName,
    )
    .map((parts) => parts.join("")),
  fc
    .tuple(
      plainName,
      fc.constantFrom("\\", ":", "\u2044", "\u2215", "\u29F8", "\uFF0F", "\uFF3C", "\uFE68", "%2f", "%5C"),
      plainName,
    )
    .map((parts) => parts.join("")),
  fc
    .tuple(
      fc.constantFrom("con", "prn", "aux", "nul", "com1", "com9", "lpt1").chain(anyCase),
      fc.constantFrom("", ".txt", ".tar.gz", " .md"),
    )
    .map((parts) => parts.join("")),
  fc
    .constantFrom(
      ".git",
      ".env",
      ".env.local",
      ".ssh",
      "id_rsa",
      "id_ed25519",
      "key.pem",
      "a.db",
      "a.sqlite3-wal",
      ".netrc",
    )
    .chain(anyCase),
);

/** Generated hostile paths: a hostile segment among plain ones, or a hostile prefix. */
export const anyHostilePath: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostilePaths),
  fc
    .tuple(
      fc.constantFrom("", "out/", "inbox/", "./"),
      fc.array(plainName, { maxLength: 3 }),
      hostileSegment,
      fc.array(plainName, { maxLength: 2 }),
    )
    .map(([root, before, hostile, after]) => root + [...before, hostile, ...after].join("/")),
  fc
    .tuple(
      fc.constantFrom("/", "//", "~/", "~", "\\", "\\\\", "C:", "c:/", "\\\\?\\"),
      fc.array(plainName, { minLength: 1, maxLength: 3 }),
    )
    .map(([start, names]) => start + names.join("/")),
);

/** Generated ordinary names in many scripts, including emoji. */
export const anyPlainPath: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      plainName,
      fc.constantFrom(
        "Notes 2026",
        "naïve.md",
        "日本語.txt",
        "עברית.md",
        "فارسی\u200Cها.md",
        "👨‍👩‍👧 trip.md",
        "a+b (1).md",
        "½ cup",
        ".hidden",
        "10% off.md",
      ),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((names) => names.join("/"));

/** Generated strings, half of them made of characters with a meaning in paths. */
export const anyString: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom("/", "\\", ".", "..", ":", " ", "~", "\0", "%2e", "out", "a"),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(""));
