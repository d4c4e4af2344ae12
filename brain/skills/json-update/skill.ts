import { ArchiveEntry } from "@metahuman/core/contract/http";
import { FileNotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { capitalize, formatCount } from "@metahuman/core/text/format";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { z } from "zod";
import { parseExactJson } from "../support/exact-json.ts";
import { assessRewrite, rewriteFile } from "../support/rewrite-file.ts";
import { undoWrite } from "../support/reversal.ts";
import { approvedContentCheck, defineSkill } from "../define-skill.ts";
import { joinNames } from "../support/phrasing.ts";
import { WorkspacePath } from "../support/workspace-path.ts";
import { editJson, type JsonEdit, placeNamed, valueNamed } from "./edit-json.ts";
import * as grammar from "./phrases.ts";

/** The largest file that is edited, in bytes; parsing blocks the event loop. */
const MAX_BYTES = 500_000;

const Values = z.record(z.string().min(1).max(500), z.unknown());

const OPERATOR = String.raw`\s*(?<sign>[+-]?=|:)|\s(?:to|as)\s`;
const ASSIGNMENT = new RegExp(
  String.raw`^\s*(?<key>[^\s=:][^=:]*?)(?:${OPERATOR})\s*(?<value>[\s\S]+?)\s*$`,
  "u",
);
/** The beginning of a further assignment: "…, host to b", "… and host = b". */
const FURTHER = /(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=[^\s=:,]+\s*(?:[+-]?=|:|\sto\s|\sas\s))/u;

/** "remove vat": the key with its value. */
const REMOVAL = /^\s*remove\s+(?<removed>[^\s=:][^=:]*?)\s*$/iu;

/**
 * An assignment in words; with `by`, a number or an item of a list is added or removed, with `items`, a list grows by them.
 * `isRemoved`: the key is removed. A value in plain words is neither JSON nor quoted.
 */
type Assignment = { key: string } & (
  | { value: unknown; isPlain: boolean }
  | { by: unknown; isLess: boolean }
  | { items: readonly unknown[] }
  | { isRemoved: true }
);

/**
 * Parses assignments in words: "port to 8080", "port = 8080", "port to 80 and host to b", "retries += 2", "tags -= old",
 * "remove port". Values are JSON if possible, otherwise text.
 */
function parseAssignments(words: string): Assignment[] {
  const removed = REMOVAL.exec(words)?.groups?.["removed"];
  if (removed !== undefined) return [{ key: removed, isRemoved: true }];
  const { key, sign, value } = ASSIGNMENT.exec(words.replace(/^\s*the\s+/iu, ""))?.groups ?? {};
  if (!key || value === undefined) throw notUnderstood("Nothing to set was found in this.");
  const further = isJson(value) ? null : FURTHER.exec(value);
  const first = further ? value.slice(0, further.index) : value;
  if (further && !isJson(first))
    throw notUnderstood("It is unclear where one value ends and the next begins.");
  const rest = further ? parseAssignments(value.slice(further.index + further[0].length)) : [];
  const parsed = asJson(first);
  // Unquoted words for the end of a list are its items: "crew.- = ann and bob".
  const items = key.endsWith(".-") && parsed === first ? first.split(/\s*,\s*(?:and\s+)?|\s+and\s+/u) : [];
  if (items.length > 1) return [{ key: key.slice(0, -2), items: items.map(asJson) }, ...rest];
  if (sign !== "+=" && sign !== "-=") return [{ key, value: parsed, isPlain: parsed === first }, ...rest];
  return [{ key, by: parsed, isLess: sign === "-=" }, ...rest];
}

/** The values that assignments in words give to the places of a document. */
function valuesFor(assignments: readonly Assignment[], text: string): Record<string, unknown> {
  const document = text.trim() === "" ? "{}" : text;
  return Object.fromEntries(
    assignments.map((one): [string, unknown] => {
      const name = placeNamed(one.key, document);
      const before = valueNamed(name, document);
      if ("isRemoved" in one) {
        if (before === undefined) throw new InvalidArgsError(`There is no ${name} in this file.`);
        return [name, undefined];
      }
      if ("items" in one) {
        if (before !== undefined && !Array.isArray(before))
          throw new InvalidArgsError(`${name} is ${JSON.stringify(before)}, not a list.`);
        const present: readonly unknown[] = before ?? [];
        return [name, [...present, ...one.items]];
      }
      if ("value" in one) {
        if (typeof before === "number" && one.isPlain)
          throw new InvalidArgsError(
            `${name} is the number ${String(before)}, not text such as “${String(one.value)}”.`,
            {
              suggestions: ["Write the number in digits, or the text in quotation marks."],
            },
          );
        return [name, one.value];
      }
      return [name, changedBy(name, before, one)];
    }),
  );
}

/** A number plus or minus another one, or a list with an item more or less. Throws `InvalidArgsError` for any other value. */
function changedBy(name: string, before: unknown, { by, isLess }: { by: unknown; isLess: boolean }): unknown {
  if (Array.isArray(before)) {
    const items: readonly unknown[] = before;
    return isLess ? withoutItem(name, items, by) : [...items, by];
  }
  if (typeof by !== "number") throw notUnderstood(`“${String(by)}” is not a number.`);
  if (typeof before !== "number")
    throw new InvalidArgsError(
      before === undefined
        ? `There is no ${name} in this file to add to.`
        : `${name} is ${JSON.stringify(before)}, not a number.`,
    );
  const amount = isLess ? -by : by;
  if ([before, amount].every(Number.isInteger) && !Number.isSafeInteger(before + amount))
    throw new InvalidArgsError(`${name} has too many digits to be added to without rounding.`);
  // Without the rounding errors of binary fractions: 0.1 + 0.2 is 0.3.
  return Number((before + amount).toPrecision(15));
}

/** A list without the one item that is this value; text in any letter case. Throws `InvalidArgsError` if it has none. */
function withoutItem(name: string, items: readonly unknown[], value: unknown): unknown[] {
  const keyOf = (item: unknown): string => JSON.stringify(item).toLowerCase();
  const [at, another] = items.flatMap((item, index) => (keyOf(item) === keyOf(value) ? [index] : []));
  if (at === undefined)
    throw new InvalidArgsError(
      `${name} does not have ${JSON.stringify(value)}. It has ${JSON.stringify(items)}.`,
    );
  if (another !== undefined)
    throw new InvalidArgsError(`${name} has ${JSON.stringify(value)} several times.`);
  return items.toSpliced(at, 1);
}

function notUnderstood(message: string): InvalidArgsError {
  return new InvalidArgsError(message, {
    suggestions: ['Write port = 8080, or the path of each value: {"server.port": 8080}.'],
  });
}

function isJson(text: string): boolean {
  const value = asJson(text);
  return value !== text;
}

/** The value that words are as JSON, otherwise the words. Throws `InvalidArgsError` for a number that would be rounded. */
function asJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
  if (JSON.stringify(parseExactJson(text)) === JSON.stringify(value)) return value;
  throw new InvalidArgsError(`“${text}” would be rounded, because a number keeps about 15 digits.`);
}

interface Args {
  path: string;
  set?: Record<string, unknown> | string | undefined;
  merge?: Record<string, unknown> | undefined;
  create: boolean;
}

interface PlannedEdit extends JsonEdit {
  path: string;
  before: string;
  isNew: boolean;
}

/** Edits the text of the file, but writes nothing. Throws `InvalidArgsError` and `FileNotFoundError`. */
async function planEdit(
  { path, set, merge, create }: Args,
  files: WorkspaceFiles,
  signal?: AbortSignal,
): Promise<PlannedEdit> {
  const assignments = typeof set === "string" ? parseAssignments(set) : undefined;
  const changesOf = (text: string) => ({
    set: assignments ? valuesFor(assignments, text) : typeof set === "object" ? set : {},
    merge: merge ?? {},
  });
  if (
    assignments === undefined &&
    Object.keys({ ...merge, ...(typeof set === "object" && set) }).length === 0
  ) {
    throw new InvalidArgsError("There is nothing to change: both set and merge are empty.", {
      suggestions: ['Write what to set, by path: {"server.port": 8080}.'],
    });
  }
  const state = await files.state(path, signal);
  if (state.kind === "absent" && create) {
    return { path: state.path, before: "", isNew: true, ...editJson("", changesOf("")) };
  }
  if (state.bytes > MAX_BYTES)
    throw new InvalidArgsError(`${state.path} is larger than ${formatCount(MAX_BYTES, "byte")}.`);
  try {
    const { content } = await files.readText(path, { maxBytes: MAX_BYTES, ...(signal && { signal }) });
    return { path: state.path, before: content, isNew: false, ...editJson(content, changesOf(content)) };
  } catch (error) {
    if (!(error instanceof FileNotFoundError)) throw error;
    throw new FileNotFoundError(error.message, {
      suggestions: error.suggestions,
      context: { ...error.context, instead: [{ create: true }] },
    });
  }
}

export const jsonUpdate = defineSkill({
  id: "json_update",
  summary: "Change values in a JSON file",
  category: "files",
  input: z.strictObject({
    path: WorkspacePath,
    set: z
      .union([Values, z.string().min(1).max(10_000)])
      .optional()
      .describe(
        'Values by path, {"server.port": 8080}; "-" is the end of a list; or in words: port = 8080, retries += 2',
      )
      .meta({ examples: [{ "server.port": 8080 }] }),
    merge: Values.optional().describe("Merged into the file; null removes a key"),
    create: z.boolean().default(false).describe("Create the file if it does not exist"),
  }),
  output: z.strictObject({
    path: z.string(),
    changed: z.boolean().describe("False if nothing had to change"),
    keys: z.array(z.string()).describe("The keys that changed"),
    values: Values.optional().describe("The new values"),
    archived: ArchiveEntry.optional().describe("The old text, if there was one"),
  }),
  effects: "write",
  risk: "medium",
  idempotent: false,
  ...grammar,
  assess: async (args, { files }) => {
    const { path, before, text, keys, isNew } = await planEdit(args, files);
    return assessRewrite(files, {
      path,
      before,
      after: text,
      isNew,
      facts: [{ label: "changes", value: keys.length === 0 ? "nothing" : joinNames(keys) }],
    });
  },
  reverse: undoWrite("path", ({ changed }) => changed === true),
  amend: ({ outputs: { path, keys } }, { words }) => {
    const key: unknown = Array.isArray(keys) ? keys.at(-1) : undefined;
    return typeof path === "string" && typeof key === "string"
      ? [{ skill: "json_update", args: { path, set: `${key} = ${words}` } }]
      : undefined;
  },
  narrate: ({ path, changed, keys, values = {} }) =>
    changed
      ? `${capitalize(describeChanges(keys, values))} in ${path}.`
      : `Nothing had to change in ${path}.`,
  run: async (args, call) => {
    const { ports, signal, assessment } = call;
    const { files } = ports;
    const planned = await planEdit(args, files, signal);
    const { path, keys, values } = planned;
    if (keys.length === 0 && !planned.isNew) return { path, changed: false, keys };
    if (planned.isNew || assessment.overwrites !== true) {
      await files.writeText(path, planned.text, {
        expect: "absent",
        verify: approvedContentCheck(call),
        signal,
      });
      return { path, changed: true, keys, values };
    }
    const { plan, archived } = await rewriteFile(path, call, () => planEdit(args, files, signal));
    return { path, changed: true, keys: plan.keys, values: plan.values, archived };
  },
});

const MAX_VALUE_LENGTH = 60;

/** "changed port to 8080" and "added "b" to hosts": a key that ends in ".-" is a new element of a list. */
function describeChanges(keys: readonly string[], values: Readonly<Record<string, unknown>>): string {
  const added = keys.filter((key) => key.endsWith(".-"));
  const changed = keys.filter((key) => !key.endsWith(".-"));
  const parts = [
    ...(changed.length === 0
      ? []
      : [`changed ${joinNames(changed.map((key) => `${key}${newValue(values[key])}`))}`]),
    ...added.map(
      (key) => `added ${JSON.stringify(values[key] ?? "an element")} to ${key.slice(0, -".-".length)}`,
    ),
  ];
  return parts.join(" and ");
}

/** " to 8080" for a value that fits into a sentence. */
function newValue(value: unknown): string {
  const text = value === undefined || typeof value === "object" ? "" : JSON.stringify(value);
  return text === "" || text.length > MAX_VALUE_LENGTH ? "" : ` to ${text}`;
}
