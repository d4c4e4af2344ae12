import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  type ParseErrorCode,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { readFileSync } from "node:fs";
import { ConfigInvalidError } from "../errors/request-errors.ts";
import { systemCode } from "../errors/node-error.ts";

/** A parsed file of `etc/` with the position of every key. */
export interface ConfigFile {
  path: string;
  value: unknown;
  /** Returns the position of a key path; undefined if this file does not set it. */
  placeOf(keyPath: readonly (string | number)[]): Place | undefined;
}

/** A position in a file. Both numbers start at 1. */
export interface Place {
  line: number;
  column: number;
}

/** Creates an error that names file, position and reason. */
export function invalidConfigError(
  path: string,
  place: Place | undefined,
  reason: string,
  problems: readonly string[] = [reason],
): ConfigInvalidError {
  const where = place ? `${path}, line ${place.line}, column ${place.column}` : path;
  return new ConfigInvalidError(`${where}: ${reason}.`, {
    suggestions: ["Correct the file, or move it elsewhere to use the defaults."],
    context: { file: path, ...place, problems: [...problems] },
  });
}

/** Reads a file; undefined if it does not exist. Throws `ConfigInvalidError` with file, line and column for bad JSON. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseConfigText(path, text);
}

/** Parses the text of a section; `path` names it in errors, which are those of `readConfigFile`. */
export function parseConfigText(path: string, text: string): ConfigFile {
  if (text.trim() === "")
    throw invalidConfigError(path, { line: 1, column: 1 }, "the file is empty; it must hold a JSON object");
  const errors: ParseError[] = [];
  const root = parse(path, text, errors);
  const [first] = errors;
  if (first) throw invalidConfigError(path, placeAt(text, first.offset), syntaxReason(first.error));
  if (!root) throw invalidConfigError(path, { line: 1, column: 1 }, "this is not JSON");
  rejectDuplicateKeys(path, text, root);
  return {
    path,
    value: JSON.parse(text),
    placeOf(keyPath) {
      const node = findNodeAtLocation(root, [...keyPath]);
      // The node of a property is its value; the position is that of its name.
      const shown = node?.parent?.type === "property" ? node.parent : node;
      return shown && placeAt(text, shown.offset);
    },
  };
}

function readText(path: string): string | undefined {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw invalidConfigError(
      path,
      undefined,
      code === "EISDIR" ? "it is a folder, not a file" : `it cannot be read (${code ?? "unknown failure"})`,
    );
  }
  try {
    // The decoder also removes a byte-order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalidConfigError(path, undefined, "it is not UTF-8 text");
  }
}

function parse(path: string, text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) throw invalidConfigError(path, undefined, "it is nested too deeply");
    throw error;
  }
}

/** Rejects duplicate keys. `JSON.parse` silently takes the last one, which hides a mistake. */
function rejectDuplicateKeys(path: string, text: string, node: Node): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = node.type === "object" ? child.children?.[0] : undefined;
    if (name) {
      if (seen.has(name.value))
        throw invalidConfigError(
          path,
          placeAt(text, name.offset),
          `the key ${JSON.stringify(name.value)} is duplicated`,
        );
      seen.add(name.value);
    }
    rejectDuplicateKeys(path, text, child);
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

// Keyed by the library's names, because its const enum does not exist at run time.
const reasons: ReadonlyMap<string, string> = new Map([
  ["InvalidSymbol", "unexpected text; strings need double quotes"],
  ["InvalidNumberFormat", "this is not a number"],
  ["PropertyNameExpected", "a key in double quotes is missing here, or the comma before it is superfluous"],
  ["ValueExpected", "a value is missing here, or the comma before it is superfluous"],
  ["ColonExpected", "a colon is missing after the key"],
  ["CommaExpected", "a comma is missing before this"],
  ["CloseBraceExpected", "a closing brace } is missing"],
  ["CloseBracketExpected", "a closing bracket ] is missing"],
  ["EndOfFileExpected", "the file should have ended before this"],
  ["InvalidCommentToken", "comments are not allowed; docs/guide/configuration.md explains every key"],
  ["UnexpectedEndOfComment", "a comment is not closed"],
  ["UnexpectedEndOfString", "a closing double quote is missing"],
  ["UnexpectedEndOfNumber", "a number is incomplete"],
  ["InvalidUnicode", "a \\u escape needs four hexadecimal digits"],
  ["InvalidEscapeCharacter", "this escape does not exist in JSON"],
  ["InvalidCharacter", "this character must be escaped or removed"],
]);

/** Describes a syntax error of the JSON parser. */
function syntaxReason(code: ParseErrorCode): string {
  return reasons.get(printParseErrorCode(code)) ?? "this is not JSON";
}
