import { escapeRegExp } from "../../text/words.ts";
import type { Expectation, FunctionParameter, Recipe } from "../../contract/function.ts";
import { partsOfPath, piecesOf, placeholder, type Source } from "../../contract/placeholders.ts";
import { createContext, Script } from "node:vm";
import { capitalize, truncate, asText } from "../../text/format.ts";
import { slugify } from "../../text/slug.ts";

/** The values of a recipe's placeholders at one step of its replay. */
export interface Bindings {
  parameters: Readonly<Record<string, unknown>>;
  /** The outputs of the actions so far, in order. */
  outputs: readonly Readonly<Record<string, unknown>>[];
  /** A calendar day: `2026-11-22`. */
  today: string;
}

/** The complete arguments, or the placeholders without a value. */
export type FilledArguments = { ok: true; args: Record<string, unknown> } | { ok: false; missing: string[] };

/** The values of all parameters, or the names of required parameters without a value. */
export type BoundParameters =
  | { ok: true; values: Record<string, unknown> }
  | { ok: false; missing: string[] };

/** Adds the defaults of parameters without a value. A default may refer to other parameters. */
export function withDefaults(
  parameters: readonly FunctionParameter[],
  given: Readonly<Record<string, unknown>>,
  today: string,
): BoundParameters {
  const values: Record<string, unknown> = { ...given };
  const missing: string[] = [];
  const left = parameters.filter(({ name }) => values[name] === undefined);
  // A default may name a parameter that is listed later: each pass fills in what the one before made possible.
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (const { name, default: preset } of left) {
      if (preset === undefined || values[name] !== undefined) continue;
      const filled = fillPlaceholders(preset, { parameters: values, outputs: [], today });
      if (filled.missing.length > 0) continue;
      values[name] = filled.value;
      isChanged ||= filled.value !== undefined;
    }
  }
  for (const { name, required } of left) if (required && values[name] === undefined) missing.push(name);
  return missing.length > 0 ? { ok: false, missing } : { ok: true, values };
}

/**
 * Fills in the arguments of one action. A text that consists of one placeholder becomes its value, of any type; inside
 * a longer text, the value is formatted. An argument whose optional parameter has no value is left out.
 */
export function fillArgs(
  action: Pick<Recipe["actions"][number], "args">,
  bindings: Bindings,
  optional: ReadonlySet<string> = new Set(),
): FilledArguments {
  const args: Record<string, unknown> = {};
  const missing = new Set<string>();
  for (const [name, template] of Object.entries(action.args)) {
    const filled = fillPlaceholders(template, bindings);
    const absent = filled.missing.filter(
      (source) => !(source.kind === "parameter" && optional.has(source.name)),
    );
    if (filled.missing.length === 0) args[name] = filled.value;
    for (const source of absent) missing.add(placeholder(source));
  }
  return missing.size > 0 ? { ok: false, missing: [...missing] } : { ok: true, args };
}

/** The names of a function's optional parameters. */
export function optionalNames(parameters: readonly FunctionParameter[]): ReadonlySet<string> {
  return new Set(parameters.filter(({ required }) => !required).map(({ name }) => name));
}

/**
 * The unmet expectations on an action's outputs, one sentence each. A call that reports `changed: false` found everything as asked, so it
 * may lack what a change adds.
 */
export function unmetExpectations(
  expect: readonly Expectation[],
  outputs: Readonly<Record<string, unknown>>,
  bindings: Bindings,
): string[] {
  const mayLack = outputs["changed"] === false;
  return expect
    .filter(({ field }) => !mayLack || isPresent(fieldOf(outputs, field)))
    .flatMap((expectation) => unmet(expectation, outputs, bindings));
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

function unmet(
  { field, is, value }: Expectation,
  outputs: Readonly<Record<string, unknown>>,
  bindings: Bindings,
): string[] {
  const actual = fieldOf(outputs, field);
  if (!isPresent(actual)) return [`${field} is missing.`];
  if (is === "present") return [];
  if (is === "type") {
    const type = typeOf(actual);
    return type === value || (type === "array" && value === "list")
      ? []
      : [`${field} is a ${type}, not a ${jsonExcerpt(value)}.`];
  }
  if (is === "matches") return matchProblem(field, actual, value, bindings);
  const expected = fillPlaceholders(value, bindings);
  if (expected.missing.length > 0) return [`${field} cannot be compared: a value is missing.`];
  return isSameJson(actual, expected.value) || isSamePath(field, actual, expected.value)
    ? []
    : [`${field} is ${jsonExcerpt(actual)}, not ${jsonExcerpt(expected.value)}.`];
}

/** Compares paths that may lack their root or folders: skills return `out/settings.json` for `settings.json`. */
function isSamePath(field: string, actual: unknown, expected: unknown): boolean {
  return (
    /path$/iu.test(field) &&
    typeof actual === "string" &&
    typeof expected === "string" &&
    expected !== "" &&
    actual.endsWith(`/${expected}`)
  );
}

function matchProblem(field: string, actual: unknown, pattern: unknown, bindings: Bindings): string[] {
  if (typeof actual !== "string" || typeof pattern !== "string") return [`${field} is no text to match.`];
  const filled = fillText(pattern, bindings, escapeRegExp);
  if (filled.missing.length > 0) return [`${field} cannot be compared: a value is missing.`];
  try {
    const fits = fitsPattern(filled.text, actual);
    if (fits === undefined) return [`${field} is compared with a pattern that takes too long: ${pattern}`];
    return fits ? [] : [`${field} is ${jsonExcerpt(actual)}, which does not match ${pattern}.`];
  } catch (error) {
    if (error instanceof SyntaxError) return [`${field} is compared with an invalid pattern: ${pattern}`];
    throw error;
  }
}

/** The value at a dotted path: `task.title`, `entries.0.path`, `content.lines.0`. */
function fieldOf(outputs: Readonly<Record<string, unknown>>, field: string): unknown {
  let at: unknown = outputs;
  for (const key of field.split(".")) {
    if (typeof at === "string" && key === "lines") {
      at = at.split(/\r?\n/);
      continue;
    }
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

/** Fills in every placeholder of a value and returns those without a value. */
export function fillPlaceholders(value: unknown, bindings: Bindings): { value: unknown; missing: Source[] } {
  if (typeof value === "string") {
    const pieces = piecesOf(value);
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined && typeof only !== "string") {
      const found = lookUp(only, bindings);
      return found === undefined ? { value: undefined, missing: [only] } : { value: found, missing: [] };
    }
    const filled = fillText(value, bindings, (text) => text);
    return { value: filled.text, missing: filled.missing };
  }
  if (Array.isArray(value)) {
    const parts = value.map((part) => fillPlaceholders(part, bindings));
    return { value: parts.map((part) => part.value), missing: parts.flatMap((part) => part.missing) };
  }
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([key, part]) => ({ key, ...fillPlaceholders(part, bindings) }));
    return {
      value: Object.fromEntries(parts.map((part) => [part.key, part.value])),
      missing: parts.flatMap((part) => part.missing),
    };
  }
  return { value, missing: [] };
}

function fillText(
  template: string,
  bindings: Bindings,
  write: (text: string) => string,
): { text: string; missing: Source[] } {
  const missing: Source[] = [];
  const pieces = piecesOf(template);
  const text = pieces
    .map((piece, index) => {
      if (typeof piece === "string") return piece;
      const found = lookUp(piece, bindings);
      if (found === undefined) {
        missing.push(piece);
        return "";
      }
      const next = pieces[index + 1];
      const written = asText(found);
      // A folder may be said as "archive/": a path has one slash between its parts.
      const isFolder = typeof next === "string" && /^\\?\//.test(next);
      return write(isFolder ? written.replace(/(?<=[^/])\/$/, "") : written);
    })
    .join("");
  return { text, missing };
}

function lookUp(source: Source, { parameters, outputs, today }: Bindings): unknown {
  switch (source.kind) {
    case "today":
      return today;
    case "parameter":
      return parameterValue(source, parameters);
    case "step":
      return outputValue(source, outputs);
    default:
      return source satisfies never;
  }
}

function outputValue(
  { step, field, trim }: Extract<Source, { kind: "step" }>,
  outputs: Bindings["outputs"],
): unknown {
  const value = fieldOf(outputs[step - 1] ?? {}, field);
  return trim && typeof value === "string" ? value.trimEnd() : value;
}

function parameterValue(
  { name, form }: Extract<Source, { kind: "parameter" }>,
  parameters: Bindings["parameters"],
): unknown {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (typeof value !== "string") return value;
  switch (form) {
    case undefined:
      return value;
    case "slug":
      return slugify(value);
    case "capital":
      return capitalize(value);
    case "folder":
    case "name":
    case "stem":
      return partsOfPath(value)[form];
    default:
      return form satisfies never;
  }
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function jsonExcerpt(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return truncate(text, 120);
}

/** The maximum length of a text that a pattern is matched against, in UTF-16 code units. */
const MAX_MATCHED_LENGTH = 2_000;
/** The time limit of a match, in milliseconds: a malicious pattern could otherwise block the process. */
const MAX_MS = 250;

const given: { pattern?: RegExp; text?: string } = {};
const realm = createContext(given);
// Only a script can be stopped in the middle of a match.
const matching = new Script("pattern.test(text)");

/** Whether a text matches a regular expression; undefined after the time limit. Throws `SyntaxError`. */
function fitsPattern(pattern: string, text: string): boolean | undefined {
  given.pattern = new RegExp(pattern, "u");
  given.text = text.slice(0, MAX_MATCHED_LENGTH);
  for (let attempt = 1; ; attempt += 1) {
    const before = process.threadCpuUsage();
    try {
      return matching.runInContext(realm, { timeout: MAX_MS }) === true;
    } catch (error) {
      if (!isOverdue(error)) throw error;
      // On a busy machine, the limit may pass while this thread waits for a processor.
      const hasRun = process.threadCpuUsage(before).user > MAX_MS * MICROSECONDS * MIN_SHARE_RUN;
      if (hasRun || attempt === MAX_ATTEMPTS) return undefined;
    }
  }
}

const MICROSECONDS = 1_000;
/** A match that used a smaller share of the time limit is tried again. */
const MIN_SHARE_RUN = 0.5;
const MAX_ATTEMPTS = 4;

/** True for the timeout error of the other realm, which is not an instance of our classes. */
function isOverdue(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
