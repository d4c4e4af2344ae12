import { findNodeAtLocation, parseTree, type Node, type ParseError } from "jsonc-parser";
import { readFileSync } from "node:fs";
import { ConfigInvalidError } from "../errors/config-invalid-error.ts";
import { systemCode } from "../errors/node-error.ts";
import { syntaxReason } from "./syntax-reason.ts";

/** One file of `etc/`, parsed, with the place of every key. */
export interface ConfigFile {
  path: string;
  value: unknown;
  /** Where the value at a key path stands; undefined when this file does not set it. */
  placeOf(keyPath: readonly (string | number)[]): Place | undefined;
}

/** Both count from 1. */
export interface Place {
  line: number;
  column: number;
}

/** A problem as a sentence that names file, place and reason. */
export function invalid(
  path: string,
  place: Place | undefined,
  reason: string,
  problems: readonly string[] = [reason],
): ConfigInvalidError {
  const where = place ? `${path}, line ${place.line}, column ${place.column}` : path;
  return new ConfigInvalidError(`${where}: ${reason}.`, {
    suggestions: ["Correct the file, or remove it to go back to the defaults."],
    context: { file: path, ...place, problems: [...problems] },
  });
}

/** Reads one file; undefined when there is none. Throws `ConfigInvalidError` with file, line and column for bad JSON. */
export function readConfigFile(path: string): ConfigFile | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  if (text.trim() === "")
    throw invalid(path, { line: 1, column: 1 }, "the file is empty; it must hold a JSON object");
  const errors: ParseError[] = [];
  const root = parse(path, text, errors);
  const [first] = errors;
  if (first) throw invalid(path, placeAt(text, first.offset), syntaxReason(first.error));
  if (!root) throw invalid(path, { line: 1, column: 1 }, "this is not JSON");
  refuseRepeatedKeys(path, text, root);
  return {
    path,
    value: JSON.parse(text),
    placeOf(keyPath) {
      const node = findNodeAtLocation(root, [...keyPath]);
      // A property's node is its value; people look for its name.
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
    throw invalid(
      path,
      undefined,
      code === "EISDIR" ? "it is a folder, not a file" : `it cannot be read (${code ?? "unknown failure"})`,
    );
  }
  try {
    // Also drops the byte-order mark that some editors put first.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw invalid(path, undefined, "it is not UTF-8 text");
  }
}

function parse(path: string, text: string, errors: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  } catch (error) {
    if (error instanceof RangeError) throw invalid(path, undefined, "it is nested too deeply");
    throw error;
  }
}

/** JSON lets the last one win in silence; in a file written by hand one of the two is a mistake. */
function refuseRepeatedKeys(path: string, text: string, node: Node): void {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const name = node.type === "object" ? child.children?.[0] : undefined;
    if (name) {
      if (seen.has(name.value))
        throw invalid(
          path,
          placeAt(text, name.offset),
          `the key ${JSON.stringify(name.value)} is there twice`,
        );
      seen.add(name.value);
    }
    refuseRepeatedKeys(path, text, child);
  }
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
