import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { applyEdits, type JSONPath, modify, parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { isRecord } from "@metahuman/core/text/is-record";

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
}

type Step = { path: JSONPath; name: string; value: unknown };

/** Edits JSON text and preserves order, spacing and comments elsewhere. Throws `InvalidArgsError`. */
export function editJson(before: string, { set, merge }: JsonChanges): JsonEdit {
  let text = before.trim() === "" ? "{}\n" : before;
  const keys: string[] = [];
  const apply = ({ path, name, value }: Step): void => {
    const old = valueAt(parsed(text), path);
    if (JSON.stringify(old) === JSON.stringify(value)) return;
    text = applyEdits(text, modify(text, path, value, { formattingOptions: formatOf(text) }));
    keys.push(name);
  };
  for (const step of patchSteps(parsed(text), merge, [])) apply(step);
  // Sequential, because a path may lie inside a value that was set before.
  for (const [name, value] of Object.entries(set)) apply({ path: placeOf(name, parsed(text)), name, value });
  return { text, keys };
}

/** Parses the document; throws for invalid JSON. Comments and trailing commas are allowed. */
function parsed(text: string): unknown {
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
        `${name}: ${path.join(".") || "the file"} holds a plain value, nothing can be set inside it.`,
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

/** Uses the indentation of the first indented line. */
function formatOf(text: string) {
  const indent = /\n([ \t]+)\S/u.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 4 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
