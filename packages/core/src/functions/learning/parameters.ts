import { isDeepStrictEqual } from "node:util";
import type { FunctionExample, FunctionParameter } from "../../contract/function.ts";
import { FUNCTION_WORDS } from "../../language/tokens/words.ts";
import { kindsOfVerb, PREPOSITIONS } from "../matching/families.ts";
import { nameOfField } from "./leaves.ts";
import { isSingular } from "../word-senses/word-senses.ts";
import { isCommon, type PromptSpan } from "./prompt-spans.ts";

/** Names of arguments that say nothing about the value. */
const GENERIC: ReadonlySet<string> = new Set(["content", "text", "value", "values"]);

/**
 * The names for the parameter that takes these words of a request, the best first: that of its argument, unless it fits
 * any value and the request says what this one is ("for customer Brandt", a name), then other words for it.
 */
export function namesForWords(preferred: string, span: PromptSpan, request: string): string[] {
  // The word before a day is about something else: "watered the tomatoes today".
  if (span.type === "date") return GENERIC.has(preferred) ? ["date", preferred] : [preferred, "date"];
  if (span.type === "path") return namesOfPath(preferred, span, request);
  const noun = nounBefore(request, span.start);
  const named = isName(span) ? ["name"] : [];
  const own = noun !== undefined && !isCommon(noun) ? [noun] : named;
  const others = [...(noun === undefined ? [] : [noun]), ...named];
  return GENERIC.has(preferred) ? [...own, preferred, ...others] : [preferred, ...others];
}

/** What a parameter is that takes these words: its argument's description, or that it is a day in a text. */
export const descriptionForWords = (description: string, preferred: string, { type }: PromptSpan): string =>
  type === "date" && GENERIC.has(preferred) ? "The day." : description;

/** The first of the names that is not taken; if all are, the parameter's own with the noun of its description or a number. */
export function freeName(
  { description }: Pick<FunctionParameter, "description">,
  names: readonly string[],
  taken: readonly string[],
): string {
  const valid = names.map((name) => name.replaceAll(/\W/gu, "_").replace(/^[^A-Za-z]+/u, "") || "value");
  const [, noun = ""] = /^The (file|folder|table|row|column|task|day|copy)\b/u.exec(description) ?? [];
  const free = [...valid, noun].find((name) => name !== "" && !taken.includes(name));
  if (free !== undefined) return free;
  const [first = "value"] = valid;
  let count = 2;
  while (taken.includes(`${first}${String(count)}`)) count += 1;
  return `${first}${String(count)}`;
}

/** The noun right before a value: "customer" in "for customer Brandt", "file" in "a file called plan.md". */
function nounBefore(request: string, start: number): string | undefined {
  const before = request.slice(0, start);
  const [, word] =
    /(?<![\p{L}\p{N}/._-])([a-z]{3,20})(?:\s+(?:called|named|titled))?[:\s]\s*["“„'‘]?$/u.exec(before) ?? [];
  if (word === undefined || FUNCTION_WORDS.has(word) || PREPOSITIONS.has(word)) return undefined;
  return kindsOfVerb(word).size > 0 ? undefined : word;
}

/** "marks" in "her marks from class/marks.csv": a noun before a path, with a preposition between them. */
const NOUN_AND_PREPOSITION = /(?<![\p{L}\p{N}/._-])([a-z]{3,20})\s+(?:from|in|of|at|to|into|as)\s+["“„'‘]?$/u;

/** A last word that says what follows: "the template ", "a job sheet ", ": marks ". */
const ANNOUNCES_VALUE =
  /(?:[,;:]|(?<!\p{L})(?:the|an?|my|your|our|his|her|their|this|that|from|in|into|of|to|with|for|as))\s+(?:\p{L}+\s+)?\p{L}+\s+["“„'‘]?$/iu;

/**
 * The names for a file or folder, the best first: what the request calls it, which is the noun right before it, or one before a preposition
 * that is its name, too ("her marks from class/marks.csv"); that of its argument; its folder, "letter" of `letters/lena.md`.
 */
function namesOfPath(preferred: string, { value, start }: PromptSpan, request: string): string[] {
  const parts = String(value).toLowerCase().replace(/\/+$/u, "").split("/");
  const base = parts.at(-1)?.replace(/\.\w+$/u, "") ?? "";
  const before = request.slice(0, start);
  // At the start of an order, the word is its verb: "scale recipes/buns.md".
  const noun = ANNOUNCES_VALUE.test(before) ? nounBefore(request, start) : undefined;
  const [, named] = NOUN_AND_PREPOSITION.exec(before.toLowerCase()) ?? [];
  const folder = /^([a-z]{3,20})s$/u.exec(parts.at(-2) ?? "")?.[1];
  return [
    ...(noun === undefined || isCommon(noun) ? [] : [noun]),
    ...(named !== undefined && named === base && isNoun(named) ? [named] : []),
    preferred,
    ...(folder !== undefined && isSingular(folder) && !isCommon(folder) ? [folder] : []),
  ];
}

const isNoun = (word: string): boolean => isSingular(word) || isSingular(word.replace(/s$/u, ""));

/** True for words with capitals, such as names of people and places. */
const isName = ({ value, type }: Pick<PromptSpan, "value" | "type">): boolean =>
  type === "string" && /^\p{Lu}[^\s]*(?:\s+\p{Lu}[^\s]*)*$/u.test(String(value));

/** The parameter for words that two requests say in the place of each other. */
export function describeSlot(
  [one, other]: readonly [PromptSpan, PromptSpan],
  place: SlotPlace,
): FunctionParameter {
  const examples = [...new Set([String(one.value), String(other.value)])].join("; ");
  return {
    name: nameOfSlot([one, other], place),
    type: one.type,
    description: `For example: ${examples}`,
    required: true,
  };
}

/** Where a value stands: in an argument, in a field of a record in it, or in a part of a text. */
interface SlotPlace {
  arg: string;
  field?: string;
  isPart?: true;
  isPath: boolean;
}

/** A whole argument has its name; a part of one is a date, a number or a name. */
function nameOfSlot(
  spans: readonly [PromptSpan, PromptSpan],
  { arg, field, isPart, isPath }: SlotPlace,
): string {
  const [{ type }] = spans;
  if (isPart && (type === "date" || type === "number")) return type;
  if (isPart && type === "string" && (isPath || spans.every(isName))) return "name";
  const ofField = field === undefined ? undefined : nameOfField(field);
  return ofField ?? (arg.replaceAll(/\W/gu, "_").replace(/^[^A-Za-z]+/u, "") || "value");
}

/** Words around a value that varies: "Berth " and ", fee " around A12. */
interface PartOfText {
  before: string;
  after: string;
}

/**
 * The names for a value by the words around it in the texts that contain it, the best first: "fee" for 180 in "Berth A12, fee 180", "hours" for
 * 38 in "38 hours", "name" for a proper name, and "loan" for a file in `loans/`.
 */
export function namesForGap(texts: readonly string[], places: readonly PartOfText[]): string[] {
  const isCode = texts.every((text) => /\d/u.test(text));
  const isAmount = texts.every((text) => /^[\d.,]+$/u.test(text));
  const isProper = texts.every((text) => !/\d/u.test(text) && isName({ value: text, type: "string" }));
  const labels = places.flatMap(({ before }) => {
    const found = /(?<start>.*?)(?<word>\p{L}{3,20})\s*(?<mark>[:=]?)[\s#-]*$/su.exec(before)?.groups;
    const { start = "", word = "", mark = "" } = found ?? {};
    // The first word may be an order: "check 4417".
    const isVerb = kindsOfVerb(word.toLowerCase()).size > 0 && (!isCode || start === "");
    // "Berth A12", "customer: Brandt"; before other words it may say which: "the next rowing session".
    return word !== "" && (isCode || mark !== "") && !isVerb ? [word] : [];
  });
  const units = isAmount ? places.flatMap(({ after }) => /^\s(\p{L}{2,20})/u.exec(after)?.[1] ?? []) : [];
  const folders = places.flatMap(({ before }) => /(\p{L}{3,20}?)s?\/$/u.exec(before)?.[1] ?? []);
  const words = [...units, ...labels, ...(isProper ? ["name"] : []), ...folders].map((word) =>
    word.toLowerCase(),
  );
  const known = [...new Set(words)].filter(
    (word) => /^[a-z]+$/u.test(word) && !FUNCTION_WORDS.has(word) && !PREPOSITIONS.has(word),
  );
  return known.length > 0 ? known : ["item"];
}

/** Arguments that mean something else in one skill than in the others. */
const DESCRIPTIONS_IN_SKILL: Readonly<Record<string, string>> = {
  "task_create.description": "More about the task",
  "task_create.due": "When the task is due",
  "task_create.priority": "How urgent the task is",
  "task_create.tags": "The tags of the task",
  "task_create.title": "What the task is called",
  "task_update.due": "When the task is due",
  "task_update.title": "What the task is called",
  "fs_mkdir.path": "The folder to create",
  "fs_write.path": "The file to write",
  "fs_append.path": "The file to add to",
  "fs_delete.path": "The file or folder to delete",
  "fs_list.path": "The folder to look in",
  "fs_search.path": "The folder to search",
  "fs_search.query": "The words to search for",
  "fs_copy.from": "The file or folder to copy",
  "fs_copy.to": "Where the copy goes",
  "fs_move.from": "The file or folder to move",
  "fs_move.to": "Where it goes",
  "table_edit.path": "The table",
  "table_edit.row": "The row, by a value in it",
  "table_edit.column": "The column",
  "table_edit.value": "The new value",
  "table_edit.values": "The values of the new row",
  "memory_remember.text": "What to remember",
  "memory_search.query": "What to look up",
  "remind.text": "What to be reminded of",
  "remind.when": "When to be reminded",
  "schedule_create.goal": "What to do",
  "schedule_create.when": "When to do it",
};

const DESCRIPTIONS_IN_ANY_SKILL: Readonly<Record<string, string>> = {
  content: "The text to write",
  due: "When it is due",
  find: "The text to replace",
  folder: "The folder",
  path: "The file or folder",
  query: "The words to search for",
  text: "The text to write",
  title: "The title",
  url: "The web address",
  when: "When to do it",
};

/**
 * The description of a parameter that becomes an argument of a skill: “When the task is due.” `more` ends the sentence.
 */
export function describeParameter(argument: string, skill: string, more = ""): string {
  const known = DESCRIPTIONS_IN_SKILL[`${skill}.${argument}`] ?? DESCRIPTIONS_IN_ANY_SKILL[argument];
  return `${known ?? `The ${wordsOf(argument)}`}${more}.`;
}

/** The description of a path that each request needs another one for, with the last one as an example. */
export const describeFoundPath = (argument: string, skill: string, path: string): string =>
  describeParameter(argument, skill, `: find the one for this request; last time ${path}`);

/** "maxWords" → "max words" */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|[_.-]+/gu, " ")
    .trim()
    .toLowerCase();

/** The number of runs that show what a parameter is when a request does not say. */
const MIN_RUNS = 3;

/**
 * The parameters with defaults for those that have the same value in all examples while others vary. A request may still say another one.
 * Days get no default. Undefined if nothing can be derived, or if there are fewer than three examples.
 */
export function deriveDefaults(
  parameters: readonly FunctionParameter[],
  examples: readonly Pick<FunctionExample, "parameters">[],
): FunctionParameter[] | undefined {
  if (examples.length < MIN_RUNS) return undefined;
  const valuesOf = (name: string): unknown[] => examples.map((one) => one.parameters?.[name]);
  if (!parameters.some(({ name, required }) => required && isVarying(valuesOf(name)))) return undefined;
  const result = parameters.map((parameter) => {
    const values = valuesOf(parameter.name);
    const [preset] = values;
    const mayVary = parameter.type === "date" || isVarying(values);
    if (!parameter.required || mayVary || preset === undefined) return parameter;
    return { ...parameter, required: false, default: preset };
  });
  return isDeepStrictEqual(result, parameters) ? undefined : result;
}

const isVarying = ([first, ...others]: readonly unknown[]): boolean =>
  others.some((one) => !isDeepStrictEqual(one, first));
