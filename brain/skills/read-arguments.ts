import { isoDay, wallTimeOf } from "@metahuman/core/language/dates/clock";
import { parseJson } from "@metahuman/core/contract/parse-json";
import type { Region } from "@metahuman/core/contract/region";
import { readDateText } from "@metahuman/core/language/dates/dates";
import { isRelativeDate } from "@metahuman/core/language/dates/relative-dates";
import { z } from "zod";
import { withoutAccents } from "@metahuman/core/text/words";

/** When, where and with which words a call was requested; dates in its arguments are relative to it. */
export interface ArgumentContext extends Region {
  now: Date;
  /** True if the person's own words name this date (in the format of `readDateText`). */
  mentions(date: string): boolean;
}

const DateForm = z.object({
  /** For a named week or month: use its last day. */
  last: z.boolean().default(false),
  /** Reject a past date unless the person's own words name it. */
  upcoming: z.boolean().default(false),
  /** Also accept a date that depends on the one before, such as `T10:30` or `P1D`; the skill applies it. */
  relative: z.boolean().default(false),
});

/**
 * An argument for a day, a time, or words for one; the skill receives `YYYY-MM-DD` or an ISO 8601 timestamp in UTC.
 */
export function dateArgument(form: z.input<typeof DateForm> = {}) {
  return z
    .string()
    .min(1)
    .max(200)
    .refine(
      (text) =>
        (form.relative === true && isRelativeDate(text)) ||
        readDateText(text, { now: new Date(), timeZone: "UTC" }).kind === "date",
      "must be a day or a moment",
    )
    .meta({ dateForm: form, examples: ["2026-11-23", "next Tuesday"] });
}

/** The parts of a JSON Schema that are used to read arguments. */
export const ArgumentShape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  pattern: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  /** How a prompt shows the values. */
  form: z.string().optional(),
  dateForm: DateForm.optional(),
  /** Unknown arguments next to it belong into it, if it is not given itself. */
  gathers: z.boolean().optional(),
  required: z.array(z.string()).default([]),
  get items() {
    return ArgumentShape.optional();
  },
  get anyOf() {
    return z.array(ArgumentShape).optional();
  },
  get properties() {
    return z.record(z.string(), ArgumentShape).optional();
  },
});
export type ArgumentShape = z.infer<typeof ArgumentShape>;

export function argumentShape(input: z.ZodObject): ArgumentShape {
  return ArgumentShape.parse(z.toJSONSchema(input, { io: "input" }));
}

/** Arguments after unambiguous repairs, with the dates that cannot be used. */
export interface ReadArguments {
  args: unknown;
  /** Sentences by argument. */
  problems: Map<string, string>;
  suggestions: string[];
}

/**
 * Repairs common mistakes of models and parses dates. Repairs only unambiguous values: a quoted number, a single
 * value for a list, `null` for an optional argument, a common synonym of a missing argument, the spelling of an enum
 * value, a name that is not in kebab-case, an argument that says what the skill does anyway. The schema rejects everything else.
 */
export function readArguments(
  given: unknown,
  shape: ArgumentShape,
  asked: ArgumentContext | undefined,
  region: Region,
): ReadArguments {
  const read: ReadArguments = { args: given, problems: new Map(), suggestions: [] };
  read.args = repairValue(given, shape, "", { read, asked, region });
  return read;
}

interface Reading {
  read: ReadArguments;
  asked: ArgumentContext | undefined;
  region: Region;
}

function repairValue(value: unknown, shape: ArgumentShape, name: string, reading: Reading): unknown {
  const branch = shape.anyOf ? branchFor(value, shape.anyOf) : shape;
  if (branch === undefined) return value;
  if (branch !== shape) return repairValue(value, branch, name, reading);
  if (shape.type === "array") return repairedList(value, shape, name, reading);
  if (shape.properties) return repairedObject(value, shape, name, reading);
  if (typeof value !== "string") return value;
  if (shape.dateForm) return readDate(value, shape.dateForm, name, reading);
  if (shape.enum) return enumValue(value, shape.enum);
  const text = value.trim();
  if (shape.type === "integer" || shape.type === "number")
    return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : value;
  if (shape.type === "boolean") return /^(?:true|false)$/i.test(text) ? /^true$/i.test(text) : value;
  if (shape.type === "string" && shape.pattern !== undefined)
    return toIdentifier(value, new RegExp(shape.pattern, "u"));
  return value;
}

/** Returns the only branch of a union that fits the type of this value. */
function branchFor(value: unknown, branches: readonly ArgumentShape[]): ArgumentShape | undefined {
  const possible = branches.filter(({ type }) => type !== "null");
  if (possible.length === 1) return value === null ? undefined : possible[0];
  const fitting = possible.filter(({ type }) => type === typeOf(value));
  return fitting.length === 1 ? fitting[0] : undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function repairedList(value: unknown, shape: ArgumentShape, name: string, reading: Reading): unknown {
  const items: ArgumentShape = shape.items ?? { required: [] };
  const written = typeof value === "string" && value.trim().startsWith("[") ? parseJson(value) : undefined;
  const list = Array.isArray(written) ? written : value;
  if (Array.isArray(list)) return list.map((item) => repairValue(item, items, name, reading));
  const types = (items.anyOf ?? [items]).flatMap(({ type }) => type ?? []);
  return types.includes(typeOf(value)) ? [repairValue(value, items, name, reading)] : value;
}

function repairedObject(value: unknown, shape: ArgumentShape, name: string, reading: Reading): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const properties = new Map(Object.entries(shape.properties ?? {}));
  const entries = Object.entries(withJoinedMoment({ ...value }, [...properties.keys()]));
  const names = matchUnknownKeys(
    entries.map(([key]) => key),
    [...properties.keys()],
  );
  const gathering = [...properties].find(([, { gathers }]) => gathers === true)?.[0];
  const isGiven = entries.some(([key]) => (names.get(key) ?? key) === gathering);
  const others = entries.filter(([key]) => !properties.has(names.get(key) ?? key));
  if (gathering !== undefined && !isGiven && others.length > 0) {
    const known = entries.filter((entry) => !others.includes(entry));
    return repairedObject(
      Object.fromEntries([...known, [gathering, Object.fromEntries(others)]]),
      shape,
      name,
      reading,
    );
  }
  return Object.fromEntries(
    entries.flatMap(([key, item]): [string, unknown][] => {
      const property = names.get(key) ?? key;
      const expected = properties.get(property);
      if (expected === undefined) return asksForNothing(key, item, properties) ? [] : [[key, item]];
      if (item === null && !shape.required.includes(property) && !allowsNull(expected)) return [];
      const path = name === "" ? property : `${name}.${property}`;
      return [[property, repairValue(item, expected, path, reading)]];
    }),
  );
}

/** An argument that no skill has, with the input beside which it says what the skill does anyway. */
const IMPLIED: readonly { names: ReadonlySet<string>; value: RegExp; beside?: string }[] = [
  // All text of the skills is UTF-8.
  { names: new Set(["encoding"]), value: /^utf-?8$/iu },
  // A file that is written is created, with its folders.
  {
    names: new Set([
      "create",
      "createfile",
      "createdirs",
      "createfolders",
      "createparents",
      "mkdir",
      "parents",
    ]),
    value: /^true$/iu,
    beside: "content",
  },
  { names: new Set(["language", "lang"]), value: /^(?:typescript|javascript|ts|js)$/iu, beside: "code" },
  // Why a call is made is not part of it.
  { names: new Set(["explanation", "rationale", "reasoning", "thought", "thoughts"]), value: /./su },
];

/** True for an unknown argument that changes nothing about the call. */
function asksForNothing(key: string, value: unknown, properties: ReadonlyMap<string, unknown>): boolean {
  if (typeof value !== "string" && typeof value !== "boolean") return false;
  return IMPLIED.some(
    ({ names, value: implied, beside }) =>
      names.has(foldKey(key)) &&
      implied.test(String(value).trim()) &&
      (beside === undefined || properties.has(beside)),
  );
}

const allowsNull = ({ type, anyOf, const: only, enum: values }: ArgumentShape): boolean =>
  [type ?? []].flat().includes("null") ||
  (anyOf?.some(allowsNull) ?? false) ||
  (type === undefined && anyOf === undefined && only === undefined && values === undefined);

const foldKey = (text: string): string => text.replaceAll(/[\s_-]/g, "").toLowerCase();

/** Synonyms that models use for arguments, normalized. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  path: [
    "file",
    "filename",
    "filepath",
    "folder",
    "directory",
    "dir",
    "repo",
    "repository",
    "project",
    "cwd",
  ],
  argv: ["command", "cmd", "commandline"],
  cwd: ["path", "folder", "directory", "dir", "workdir", "workingdirectory"],
  from: ["source", "src", "oldpath"],
  to: ["destination", "dest", "target", "newpath"],
  text: [
    "content",
    "task",
    "fact",
    "memory",
    "note",
    "new",
    "newtext",
    "newstring",
    "replacement",
    "replacewith",
    "replace",
    "message",
    "reminder",
  ],
  when: ["time", "datetime", "at", "remindat"],
  find: ["old", "oldtext", "oldstring", "search", "searchfor"],
  content: ["text"],
  title: ["name", "task"],
  due: ["duedate", "deadline", "date"],
  id: ["taskid", "memoryid", "functionid", "task", "function"],
  parameters: ["params", "args", "arguments", "inputs", "values"],
  query: ["q", "search", "keywords"],
  question: ["prompt", "message", "text"],
  options: ["choices", "answers"],
  expression: ["formula", "calculation", "expr"],
};

/** Words for an argument that are suggested in errors and never repaired, because their values often have another form. */
const SUGGESTED_NAMES: Readonly<Record<string, readonly string[]>> = {
  due: ["time", "when", "day", "duetime"],
  when: ["date", "day"],
};

/** True if a name is a usual word for this argument. */
export function isSynonym(name: string, argument: string): boolean {
  return [OTHER_NAMES, SUGGESTED_NAMES].some((names) => names[argument]?.includes(foldKey(name)) === true);
}

/**
 * Arguments under the names of the skill's input, where the names that were used are unambiguous; the values stay as they are, except
 * that a date and a time are joined for the one argument that takes both.
 */
export function withInputNames(given: Record<string, unknown>, input: z.ZodObject): Record<string, unknown> {
  const properties = Object.keys(input.shape);
  const args = withJoinedMoment(given, properties);
  const names = matchUnknownKeys(Object.keys(args), properties);
  return Object.fromEntries(Object.entries(args).map(([key, value]) => [names.get(key) ?? key, value]));
}

/** Arguments that take a day with a time. */
const MOMENTS = ["when", "due"] as const;

const HAS_TIME = /\d[:.]\d|T\d/u;

/** The arguments with a day and `time` apart as one value of the argument that takes a moment. */
function withJoinedMoment(
  given: Record<string, unknown>,
  properties: readonly string[],
): Record<string, unknown> {
  const { time, ...others } = given;
  const [moment, ...further] = MOMENTS.filter((name) => properties.includes(name));
  if (moment === undefined || further.length > 0 || properties.includes("time") || typeof time !== "string")
    return given;
  const days = Object.keys(others).filter(
    (key) => key === moment || (!properties.includes(key) && isWordForDay(key, moment)),
  );
  const [day, ...more] = days;
  if (day === undefined || more.length > 0) return given;
  const { [day]: date, ...rest } = others;
  if (typeof date !== "string" || HAS_TIME.test(date)) return given;
  return { ...rest, [moment]: `${date} ${time}` };
}

const isWordForDay = (key: string, moment: string): boolean =>
  ["date", "day"].includes(foldKey(key)) || OTHER_NAMES[moment]?.includes(foldKey(key)) === true;

/** Maps unknown keys to missing arguments, if the mapping is unambiguous. */
function matchUnknownKeys(
  keys: readonly string[],
  properties: readonly string[],
): ReadonlyMap<string, string> {
  const corrected = new Map<string, string>();
  const open = properties.filter((property) => !keys.includes(property));
  const unknown = keys.filter((key) => !properties.includes(key));
  for (const matches of [
    (key: string, property: string) => foldKey(property) === foldKey(key),
    (key: string, property: string) => OTHER_NAMES[property]?.includes(foldKey(key)) === true,
  ]) {
    const free = open.filter((property) => ![...corrected.values()].includes(property));
    const rest = unknown.filter((key) => !corrected.has(key));
    for (const key of rest) {
      const [property, ...others] = free.filter((candidate) => matches(key, candidate));
      if (property === undefined || others.length > 0) continue;
      if (rest.filter((other) => matches(other, property)).length === 1) corrected.set(key, property);
    }
  }
  return corrected;
}

/** Synonyms for values that several enums share, normalized. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  pending: "todo",
  open: "todo",
  started: "inprogress",
  doing: "inprogress",
  completed: "done",
  complete: "done",
  finished: "done",
  canceled: "cancelled",
  urgent: "p0",
  critical: "p0",
  highest: "p0",
  high: "p1",
  medium: "p2",
  normal: "p2",
  low: "p3",
  lowest: "p3",
  delete: "remove",
  deleteline: "remove",
  deleterow: "remove",
  removeline: "remove",
  removerow: "remove",
};

function enumValue(value: string, values: readonly unknown[]): unknown {
  if (values.includes(value)) return value;
  const key = foldKey(value);
  const spellings = Object.hasOwn(OTHER_VALUES, key) ? [key, OTHER_VALUES[key]] : [key];
  const same = values.filter((one) => typeof one === "string" && spellings.includes(foldKey(one)));
  return same.length === 1 ? same[0] : value;
}

/** Characters of a path. A name that contains one is rejected, never repaired. */
const PATH_CHARACTER = /[/\\:%\p{Cc}]|\.\./u;

/** Returns the text if it matches the pattern; otherwise its kebab-case form if that matches. */
function toIdentifier(value: string, form: RegExp): string {
  if (form.test(value) || !form.test("a-b") || PATH_CHARACTER.test(value)) return value;
  const kebab = withoutAccents(value)
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  return form.test(kebab) ? kebab : value;
}

const DAY_MS = 86_400_000;

function readDate(
  value: string,
  form: z.infer<typeof DateForm>,
  name: string,
  { read, asked, region }: Reading,
): string {
  const now = asked?.now ?? new Date();
  const today = isoDay(wallTimeOf(now, region.timeZone));
  if (form.relative && isRelativeDate(value)) return value;
  const reading = readDateText(value, { now, ...region });
  if (reading.kind !== "date") {
    const example = new Date(Date.parse(today) + 6 * DAY_MS).toISOString().slice(0, 10);
    const why = {
      impossible: `${name} is not a day of the calendar: it`,
      ambiguous: `${name} may mean ${reading.kind === "ambiguous" ? reading.values.join(" or ") : ""}: it`,
      unknown: name,
    }[reading.kind];
    read.problems.set(name, `${why} must be a day like ${example}; today is ${today}`);
    read.suggestions.push("A moment such as 2026-11-28T17:00 or words such as next Tuesday also work.");
    return value;
  }
  const date = form.last ? reading.last : reading.value;
  const isPast = date < (date.includes("T") ? now.toISOString() : today);
  if (form.upcoming && isPast && asked && !asked.mentions(date)) {
    read.problems.set(name, `${name} is in the past (${date}); today is ${today}`);
    read.suggestions.push(
      "Use today or a later day. If the person may mean the past day, ask them with ask_user first.",
    );
  }
  return date;
}
