import { isDeepStrictEqual } from "node:util";
import { REDACTED, redactText } from "./secret-patterns.ts";

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
