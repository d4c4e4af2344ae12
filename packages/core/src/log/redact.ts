import { REDACTED, redactText } from "./secret-patterns.ts";

export interface RedactOptions {
  /** Longer texts are cut to this many UTF-16 code units, and say so. Missing: kept whole. */
  maxText?: number;
  /** Longer lists and objects are cut to this many entries, and say so. Missing: kept whole. */
  maxItems?: number;
}

/** Structures deeper than this are replaced; nothing that is logged on purpose comes near it. */
const MAX_DEPTH = 24;

/** Words that make a key's value secret, alone or as part of a longer name: `dbPassword`, `X-Api-Key`. */
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
 * A copy of `value` fit for a log: JSON only, without secrets. A value is taken out whole when its key names a secret;
 * what looks like a secret is taken out of every text, keys included. Never throws, also not for cycles, getters that
 * throw, or values that JSON does not know.
 */
export function redact(value: unknown, options: RedactOptions = {}): unknown {
  return copy(value, options, []);
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

/** The first `maxItems`, and a note of how many there were. */
function items<Item>(all: readonly Item[], { maxItems }: RedactOptions): (Item | string)[] {
  if (maxItems === undefined || all.length <= maxItems) return [...all];
  return [...all.slice(0, maxItems), `… (${all.length} in all)`];
}

/** What the value itself says it is in JSON: a date, an address. */
function jsonForm(value: object): unknown {
  try {
    const toJson: unknown = Reflect.get(value, "toJSON");
    return typeof toJson === "function" ? (Reflect.apply(toJson, value, []) as unknown) : undefined;
  } catch {
    return "[unreadable]";
  }
}

/** An object's own fields; of an error also those that are not enumerable but are what it says. */
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
  // Cut first: what is cut off need not be searched. Some more is looked at, so that no secret is halved at the edge.
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
  // A token is a secret, a number of tokens is not, and neither is what only describes one (`tokenName`).
  return words.at(-1) === "token" && typeof value === "string";
}
