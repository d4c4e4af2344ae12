import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { applyEdits, type JSONPath, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { isRecord } from "@metahuman/core/text/is-record";
import { plainWords } from "@metahuman/core/text/words";

export interface JsonChanges {
  /** New values by path: `server.port`, or a JSON pointer (RFC 6901) for keys with dots: `/a.b/0`. */
  set: Readonly<Record<string, unknown>>;
  /** A merge patch (RFC 7396): objects are merged, `null` removes, anything else replaces. */
  merge: Readonly<Record<string, unknown>>;
}

export interface JsonEdit {
  text: string;
  /** The paths whose value changed, as named by the caller. */
  keys: string[];
  /** The new values of those paths that were not removed. */
  values: Record<string, unknown>;
}

type Step = { path: JSONPath; name: string; value: unknown };

/** Edits JSON text and preserves order, spacing and comments elsewhere. Throws `InvalidArgsError`. */
export function editJson(before: string, { set, merge }: JsonChanges): JsonEdit {
  let text = before.trim() === "" ? "{}\n" : before;
  const keys: string[] = [];
  const values: Record<string, unknown> = {};
  const apply = ({ path, name, value }: Step): void => {
    const old = valueAt(parseDocument(text), path);
    if (JSON.stringify(old) === JSON.stringify(value)) return;
    const formattingOptions = formatOf(text);
    text = applyEdits(text, modify(text, path, value, { ...(formattingOptions && { formattingOptions }) }));
    keys.push(name);
    if (value !== undefined) values[name] = value;
  };
  for (const step of patchSteps(parseDocument(text), merge, [])) apply(step);
  // Sequential, because a path may lie inside a value that was set before.
  for (const [name, value] of Object.entries(set))
    apply({ path: placeOf(name, parseDocument(text)), name, value });
  return { text, keys, values };
}

/**
 * Returns the name of the place that words mean: as it is written, else the one place whose keys, or whose last key, are these
 * words ("engine hours" is `engine.hours`). A new key is one word. Throws `InvalidArgsError` if several places are meant, or
 * none.
 */
export function placeNamed(words: string, text: string): string {
  const document = parseDocument(text);
  const name = words.trim();
  // The end of a list: "sections.-".
  if (name.endsWith(".-")) {
    const list = placeNamed(name.slice(0, -2), text);
    return list.startsWith("/") ? `${list}/-` : `${list}.-`;
  }
  if (name.startsWith("/") || (isRecord(document) && Object.hasOwn(document, name)))
    return pointerFor([name], name);
  if (!/\s/u.test(name) && valueAt(document, placeOf(name, document)) !== undefined) return name;
  const query = keyWords(name);
  const places = [...placesIn(document)];
  const sameName = places.filter((path) => keyWords(path.join(" ")) === query);
  const found =
    sameName.length > 0 ? sameName : places.filter((path) => keyWords(path.at(-1) ?? "") === query);
  const [only, ...others] = found.map((path) => pointerFor(path, path.join(".")));
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new InvalidArgsError(`“${name}” may be ${[only, ...others].join(" or ")}.`, {
      suggestions: [only, ...others].slice(0, 5),
    });
  if (!/\s/u.test(name)) return name;
  // "The learning rate lr": the key comes after what it means.
  const last = name.split(/\s+/u).at(-1) ?? "";
  const described = places.filter((path) => path.at(-1) === last);
  if (described[0] !== undefined && described.length === 1)
    return pointerFor(described[0], described[0].join("."));
  throw new InvalidArgsError(`Nothing in this file is called “${name}”.`, {
    suggestions: places.slice(0, 5).map((path) => pointerFor(path, path.join("."))),
  });
}

/** The value at a named place; undefined if there is none. */
export function valueNamed(name: string, text: string): unknown {
  const document = parseDocument(text);
  return valueAt(document, placeOf(name, document));
}

/** A JSON pointer for keys with dots or slashes, and the plain name otherwise. */
function pointerFor(path: readonly string[], name: string): string {
  if (!path.some((key) => /[./~]/u.test(key)) || name.startsWith("/")) return name;
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The words of keys, in order: "maxRetries", "max_retries" and "max retries" are the same. */
const keyWords = (key: string): string => plainWords(key.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")).join(" ");

const MAX_PLACES = 10_000;

/** The places of all values inside objects, the outer ones first. */
function* placesIn(document: unknown): Iterable<string[]> {
  const open: { path: string[]; value: unknown }[] = [{ path: [], value: document }];
  for (let index = 0; index < open.length && index < MAX_PLACES; index++) {
    const { path, value } = open[index] ?? { path: [], value: undefined };
    if (path.length > 0) yield path;
    if (isRecord(value))
      for (const [key, inner] of Object.entries(value)) open.push({ path: [...path, key], value: inner });
  }
}

/** Parses the document; throws for invalid JSON. Comments and trailing commas are allowed. */
function parseDocument(text: string): unknown {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!first) return value;
  const line = text.slice(0, first.offset).split("\n").length;
  throw new InvalidArgsError(
    `This file is not JSON: line ${line} (${printParseErrorCode(first.error)}). Nothing was changed.`,
  );
}

function* patchSteps(
  current: unknown,
  patch: Readonly<Record<string, unknown>>,
  above: JSONPath,
): Iterable<Step> {
  if (above.length === 0 && !isRecord(current) && Object.keys(patch).length > 0)
    throw new InvalidArgsError("merge needs a JSON object, and this file contains something else.");
  for (const [key, value] of Object.entries(patch)) {
    const path = [...above, key];
    const old = isRecord(current) && Object.hasOwn(current, key) ? current[key] : undefined;
    if (isRecord(value) && isRecord(old)) yield* patchSteps(old, value, path);
    else yield { path, name: path.join("."), value: value === null ? undefined : withoutNulls(value) };
  }
}

/** Removes `null` from new values, as a merge patch requires. */
function withoutNulls(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === null ? [] : [[key, withoutNulls(inner)]])),
  );
}

function placeOf(name: string, document: unknown): JSONPath {
  const names = name.startsWith("/")
    ? name
        .slice(1)
        .split("/")
        .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    : name.split(".");
  const path: JSONPath = [];
  let current = document;
  for (const part of names) {
    if (Array.isArray(current)) {
      const index = part === "-" ? current.length : /^(?:0|[1-9]\d{0,5})$/u.test(part) ? Number(part) : -1;
      if (index < 0 || index > current.length)
        throw new InvalidArgsError(`${name}: a list has places 0 to ${current.length}, not ${part}.`);
      path.push(index);
      current = current[index];
    } else if (isRecord(current) || current === undefined) {
      if (part === "") throw new InvalidArgsError(`${name}: a key is empty.`);
      path.push(part);
      current = isRecord(current) && Object.hasOwn(current, part) ? current[part] : undefined;
    } else {
      throw new InvalidArgsError(
        `${name}: ${path.join(".") || "the file"} is neither an object nor a list, so nothing can be set inside it.`,
        {
          suggestions: ["Set the value itself, to an object."],
        },
      );
    }
  }
  return path;
}

function valueAt(document: unknown, path: JSONPath): unknown {
  let current = document;
  for (const part of path) {
    if (Array.isArray(current) && typeof part === "number") current = current[part];
    else if (isRecord(current) && Object.hasOwn(current, part)) current = current[part];
    else return undefined;
  }
  return current;
}

/** Uses the indentation of the first indented line; undefined for a document on one line, which stays on it. */
function formatOf(text: string) {
  if (!/\n./u.test(text.trim()) && !/^\{\s*\}$/u.test(text.trim())) return undefined;
  const indent = /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 4 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
