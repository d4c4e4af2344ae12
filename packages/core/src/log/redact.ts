import { oneOf } from "../text/patterns.ts";
import { isDeepStrictEqual } from "node:util";

/** Replaces a secret. */
export const REDACTED = "[redacted]";

/** A form of secret in text. `replace` keeps the parts of a match that are not secret. */
interface SecretPattern {
  find: RegExp;
  replace: string;
}

const SECRET_NAMES = oneOf(
  "pass(?:word|wd|phrase)|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key",
  "token|authorization|cookie|credentials?",
);

// Every expression is linear: no nested or adjacent unbounded repetitions of the same characters.
const patterns: readonly SecretPattern[] = [
  // PEM blocks of private keys, including incomplete ones.
  {
    find: /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    replace: REDACTED,
  },
  // HTTP authorization in any context.
  { find: /\b(Bearer|Basic|Digest|Token)(\s+)[\w.~+/=:-]{8,}/gi, replace: `$1$2${REDACTED}` },
  // Passwords in addresses: https://greg:secret@host
  { find: /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,200}:)[^\s/@]{1,500}@/gi, replace: `$1${REDACTED}@` },
  // Named in text, JSON, environment files and query strings: password=…, "api_key": "…", ?access_token=…
  {
    find: new RegExp(
      String.raw`\b((?:[a-z0-9]{1,30}[_-]){0,4}${SECRET_NAMES}["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"'&,;}]{3,}`,
      "gi",
    ),
    replace: `$1${REDACTED}`,
  },
  // Bearer tokens of this system.
  { find: /\bmh_[\w-]{20,}/g, replace: REDACTED },
  // Keys with the prefix of their issuer: OpenAI, Anthropic and others; GitHub; GitLab; Slack; AWS; Google; Stripe;
  // npm; Hugging Face.
  { find: /\bsk-[\w-]{16,}/g, replace: REDACTED },
  { find: /\b(?:gh[pousr]_\w{20,}|github_pat_\w{20,})/g, replace: REDACTED },
  { find: /\bglpat-[\w-]{16,}/g, replace: REDACTED },
  { find: /\bxox[abeoprs]-[\w-]{10,}/g, replace: REDACTED },
  { find: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, replace: REDACTED },
  { find: /\bAIza[\w-]{30,}/g, replace: REDACTED },
  { find: /\b(?:sk|rk|pk)_(?:live|test)_\w{10,}/g, replace: REDACTED },
  { find: /\b(?:npm|hf)_[A-Za-z0-9]{20,}/g, replace: REDACTED },
];

/** JSON Web Tokens. What only begins like one is matched as well, so that no part of it is tried again. */
const WEB_TOKEN = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g;

/** Returns `text` with `REDACTED` in place of everything that looks like a secret. */
export function redactText(text: string): string {
  const withoutTokens = text.replace(WEB_TOKEN, (match, rest: string | undefined) =>
    rest === undefined ? match : REDACTED,
  );
  return patterns.reduce((redacted, { find, replace }) => redacted.replace(find, replace), withoutTokens);
}

export interface RedactOptions {
  /** Longer texts are clipped to this many UTF-16 code units and marked. By default, they stay whole. */
  maxText?: number;
  /** Longer lists and objects are clipped to this many entries and marked. By default, they stay whole. */
  maxItems?: number;
}

/** Deeper structures are replaced. */
const MAX_DEPTH = 24;

/** Words that mark a key's value as secret, alone or in a longer name: `dbPassword`, `X-Api-Key`. */
const secretWords = new Set([
  "password",
  "passwd",
  "passphrase",
  "pwd",
  "secret",
  "secrets",
  "authorization",
  "cookie",
  "cookies",
  "credential",
  "credentials",
  "apikey",
]);
const secretPairs = new Set([
  "api key",
  "access key",
  "private key",
  "secret key",
  "signing key",
  "encryption key",
  "setup code",
  "set cookie",
]);

/**
 * Returns a JSON copy of `value` without secrets, for a log. A value whose key names a secret is replaced;
 * text that looks like a secret is removed from every string and key. Never throws, even for cycles, getters that
 * throw, or values that JSON does not support.
 */
export function redact(value: unknown, options: RedactOptions = {}): unknown {
  return copy(value, options, []);
}

/** True if a JSON value has text or a key that looks like a secret, so that it must not be stored. */
export function holdsSecret(value: unknown): boolean {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return !isDeepStrictEqual(redact(plain), plain);
}

function copy(value: unknown, options: RedactOptions, above: readonly object[]): unknown {
  if (typeof value === "string") return text(value, options);
  if (typeof value === "object" && value !== null) return copyObject(value, options, above);
  if (typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)))
    return String(value);
  if (typeof value === "function" || typeof value === "symbol") return `[${typeof value}]`;
  return value;
}

function copyObject(value: object, options: RedactOptions, above: readonly object[]): unknown {
  if (above.includes(value)) return "[circular]";
  if (above.length >= MAX_DEPTH) return "[too deep]";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  const inner = (part: unknown): unknown => copy(part, options, [...above, value]);
  if (Array.isArray(value)) return items(value, options).map(inner);
  if (value instanceof Set) return items([...value], options).map(inner);
  if (value instanceof Map)
    return inner(Object.fromEntries(Array.from(value, ([key, part]) => [String(key), part])));
  const ownForm = jsonForm(value);
  if (ownForm !== undefined) return inner(ownForm);
  return Object.fromEntries(
    items(fieldsOf(value), options).map((field) => {
      const [key, part] = typeof field === "string" ? ["…", field] : field;
      return [text(key, options), namesSecret(key, part) ? REDACTED : inner(part)];
    }),
  );
}

/** Returns the first `maxItems` and a note with the total. */
function items<Item>(all: readonly Item[], { maxItems }: RedactOptions): (Item | string)[] {
  if (maxItems === undefined || all.length <= maxItems) return [...all];
  return [...all.slice(0, maxItems), `… (${all.length} in all)`];
}

/** Returns the value's own JSON form, such as that of a date or a URL. */
function jsonForm(value: object): unknown {
  try {
    const toJson: unknown = Reflect.get(value, "toJSON");
    return typeof toJson === "function" ? (Reflect.apply(toJson, value, []) as unknown) : undefined;
  } catch {
    return "[unreadable]";
  }
}

/** Returns an object's own fields, including the non-enumerable fields of an error. */
function fieldsOf(value: object): [string, unknown][] {
  const keys =
    value instanceof Error
      ? new Set(["name", "message", "stack", "cause", ...Object.keys(value)])
      : Object.keys(value);
  return [...keys].flatMap((key): [string, unknown][] => {
    try {
      const part: unknown = Reflect.get(value, key);
      return part === undefined ? [] : [[key, part]];
    } catch {
      return [[key, "[unreadable]"]];
    }
  });
}

function text(value: string, { maxText }: RedactOptions): string {
  // Clipped before redaction to save work, with a margin so that no secret is split at the edge.
  const clean = redactText(maxText === undefined ? value : value.slice(0, maxText + 2_000));
  if (maxText === undefined || value.length <= maxText) return clean;
  return `${clean.slice(0, maxText)}… (${value.length} characters)`;
}

function namesSecret(key: string, value: unknown): boolean {
  if (value === null || value === undefined || value === "") return false;
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (
    words.some((word, index) => secretWords.has(word) || secretPairs.has(`${word} ${words[index + 1] ?? ""}`))
  )
    return true;
  // A token is a secret; a number of tokens and the description of a token (`tokenName`) are not.
  return words.at(-1) === "token" && typeof value === "string";
}
