import { NOT_OLD } from "@metahuman/core/language/tokens/contrast";
import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { isRecord } from "@metahuman/core/text/is-record";
import type { PlanState } from "../../../planner.ts";
import { interpretAlone } from "../interpret-request.ts";
import { type LikelyOrder, readNewValue } from "../likely-orders/likely-lines.ts";
import { stripFiller } from "../conversation/short-orders.ts";
import type { Resolution } from "../conversation/resolution.ts";
import type { SubjectOf } from "../conversation/subjects.ts";
import { MAX_ORDER } from "../conversation/limits.ts";

// Reads orders and questions about the current JSON file that do not name it. "port 8080" becomes "set port to 8080 in
// out/config.json", "remove beta" becomes "remove beta from channels in out/config.json".

/** "Make it 15" */
const MAKES_IT =
  /^(?:make|set|change|put|turn)\s+(?:(?:it|that)\s+(?:to\s+|back\s+to\s+)?|to\s+|back\s+to\s+)(?<value>[^\s,;?]+(?:\s[^\s,;?]+)?)$/iu;
/** "And tube.kv to 50", after another value was set */
const SETS_FURTHER =
  /^(?:set\s+|change\s+)?(?:the\s+)?(?<key>[^\s,;?]+(?:\s[^\s,;?]+){0,2})\s+(?:to|=)\s+(?<value>[^\s,;?]+)$/iu;
/** "Debug true", "cache off", "port 8080" */
const SETS_PLAIN =
  /^(?:set\s+|turn\s+|switch\s+)?(?:the\s+)?(?<key>[^\s,;?]+(?:\s[^\s,;?]+){0,2})\s+(?<value>[-+]?\d[\d.]*|true|false|null|on|off)$/iu;
/** Words that an order for a file begins with. */
const ORDERS =
  /^(?:add|append|put|set|change|make|turn|switch|remove|delete|drop|take|cut|increase|raise|lower|reduce|enable|disable)\s/iu;
/** "Add spokes 36" */
const ADDS_KEY = /^(?:add|put)\s+(?<key>\p{L}[\p{L}\d_-]*)\s+(?<value>\d[\d.]*)$/iu;
/** "Remove bells from it" */
const REMOVES_KEY =
  /^(?:remove|delete|drop|take\s+out|take)\s+(?:the\s+)?(?<gone>\p{L}[\p{L}\d_.-]*)(?:\s+(?:from|out\s+of|off)\s+(?:it|there|the\s+file))?(?:\s+out)?$/iu;
/** "Depth is 5, not 4.5" */
const IS_NOT = new RegExp(
  String.raw`^(?:the\s+)?(?<key>\S+(?:\s\S+)?)\s+(?:is|was|should\s+be|must\s+be)\s+(?<value>[^\s,;?]+),?\s+${NOT_OLD}\s+\S+$`,
  "iu",
);

/** What a message means for the JSON file of the last request: the same order with the file, or a new value of the key that it named. */
export async function readJsonOrder(
  request: string,
  { path, age }: SubjectOf<"file">,
  state: PlanState,
): Promise<Resolution | undefined> {
  if (age > 0 || !/\.json$/iu.test(path) || request.length > MAX_ORDER || request.includes("\n"))
    return undefined;
  const { text } = stripFiller(request);
  const mayOrder = [ORDERS, SETS_FURTHER, SETS_PLAIN, IS_NOT].some((form) => form.test(text));
  const { content, isCurrent } = await findContent(path, state);
  if (!isCurrent && mayOrder)
    return { kind: "calls", calls: [callOf("fs_read", fromRequest({ path }), state.request)] };
  const values = parseJsonValues(content);
  const keys = [...new Set(values.map(({ key }) => key))];
  const isKey = (name = ""): boolean => findNamedKeys(name, keys).length > 0;
  const makes = MAKES_IT.exec(text)?.groups?.["value"];
  const keyAndValue = (SETS_FURTHER.exec(text) ?? SETS_PLAIN.exec(text))?.groups;
  const corrected =
    (isKey(keyAndValue?.["key"]) ? keyAndValue : undefined) ??
    (IS_NOT.exec(text) ?? ADDS_KEY.exec(text))?.groups;
  const removed = REMOVES_KEY.exec(text)?.groups?.["gone"];
  const [list, ...others] = removed === undefined || isKey(removed) ? [] : findListsWith(removed, values);
  if (list !== undefined && removed !== undefined && others.length === 0)
    return { kind: "request", request: `remove ${removed} from ${list} in ${path}` };
  const key = makes === undefined ? corrected?.["key"] : findCurrentKey(keys, (await state.earlier?.())?.[0]);
  const value = makes ?? readSwitchValue(corrected, values);
  const order =
    key !== undefined && value !== undefined
      ? `set ${key} to ${value} in ${path}`
      : removed !== undefined && isKey(removed)
        ? `remove ${removed} from ${path}`
        : `${text} in ${path}`;
  if (makes !== undefined && key === undefined) return undefined;
  // "Add insult to injury" names nothing that the file has.
  const isNamed = makes !== undefined || isKey(text) || (ADDS_KEY.test(text) && keys.length > 0);
  if (!isNamed) return undefined;
  const reading = interpretAlone({ ...state, request: order });
  const isOfFile =
    reading.kind === "plan" &&
    reading.calls.every(({ args }) => args["path"]?.from === "request" && args["path"].value === path) &&
    (!reading.readOnly || reading.calls.every(({ view }) => view !== undefined));
  return isOfFile ? { kind: "request", request: order } : undefined;
}

/** "Make it 40 only": the order for the only value of a JSON file that the words name, or that a new value of its kind fits. */
export function readLikelyJsonOrder(
  { path, text }: { path: string; text: string },
  state: PlanState,
): LikelyOrder | undefined {
  const { request } = state;
  const values = parseJsonValues(text).filter(({ value }) => typeof value !== "object" || value === null);
  const [figure, ...more] = request.match(FIGURES) ?? [];
  const statedValue = readNewValue(request)?.value;
  const written = figure !== undefined && more.length === 0 ? figure : statedValue;
  if (written === undefined || /\s/u.test(written)) return undefined;
  const keys = findNamedKeys(
    request,
    values.map(({ key }) => key),
  );
  const named = values.filter(({ key }) => keys.includes(key));
  const fitting = (named.length > 0 ? named : values).filter(({ value }) => isOfKind(written, value));
  const [only, ...others] = fitting;
  if (only === undefined || others.length > 0) return undefined;
  const says = `set ${only.place} to ${written} in ${path}`;
  const reading = interpretAlone({ ...state, request: says });
  if (reading.kind !== "plan") return undefined;
  return { says, calls: reading.calls, evidence: named.length > 0 ? "whole" : "part" };
}

const FIGURES = /(?<![\p{L}\d.,])\d+(?:\.\d+)?(?![\p{L}\d]|[.,]\d)/gu;

/** True for a new value of the same kind as the one that is there. */
function isOfKind(written: string, value: unknown): boolean {
  if (typeof value === "number") return /^-?\d+(?:\.\d+)?$/u.test(written) && String(value) !== written;
  if (typeof value === "boolean") return /^(?:true|false|on|off)$/iu.test(written);
  return typeof value === "string" && !/^\d/u.test(written);
}

/** The only key of the file that the last request names. */
function findCurrentKey(keys: readonly string[], last: EarlierRequest | undefined): string | undefined {
  const [key, ...others] = findNamedKeys(last?.request ?? "", keys);
  return others.length > 0 ? undefined : key;
}

/** The content of a file, as this run or an earlier one read it last; `isCurrent` if nothing has changed it since. */
async function findContent(
  path: string,
  { earlier, scratchpad }: PlanState,
): Promise<{ content: string; isCurrent: boolean }> {
  const readStep = scratchpad.find(
    ({ action }) => action?.tool === "fs_read" && action.args["path"] === path,
  );
  if (readStep?.observation !== undefined)
    return { content: contentIn(readStep.observation.outputs), isCurrent: true };
  const all = ((await earlier?.()) ?? []).flatMap(({ calls }) =>
    calls.toReversed().flatMap(({ outputs }) => (outputs?.["path"] === path ? [contentIn(outputs)] : [])),
  );
  return { content: all.find((text) => text !== "") ?? "", isCurrent: (all[0] ?? "") !== "" };
}

const contentIn = (outputs: Readonly<Record<string, unknown>> | undefined): string =>
  typeof outputs?.["content"] === "string" ? outputs["content"] : "";

/** A value of a JSON file: the key that has it, and the keys on the way there, joined by dots. */
interface JsonValue {
  key: string;
  place: string;
  value: unknown;
}

/** All values of a JSON text that have keys; none of a text that is not JSON. */
function parseJsonValues(content: string): readonly JsonValue[] {
  const collectValues = (value: unknown, place: string): JsonValue[] =>
    isRecord(value)
      ? Object.entries(value).flatMap(([key, inner]) => {
          const innerPlace = place === "" ? key : `${place}.${key}`;
          return [{ key, place: innerPlace, value: inner }, ...collectValues(inner, innerPlace)];
        })
      : Array.isArray(value)
        ? value.flatMap((inner) => collectValues(inner, place))
        : [];
  try {
    return collectValues(JSON.parse(content), "");
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** The places of the lists that have an item. */
const findListsWith = (item: string, values: readonly JsonValue[]): readonly string[] =>
  values.flatMap(({ place, value }) =>
    Array.isArray(value) && value.some((listItem) => String(listItem).toLowerCase() === item.toLowerCase())
      ? [place]
      : [],
  );

/** The value to set: "off" is false for a key that is true or false. */
function readSwitchValue(
  set: Readonly<Record<string, string>> | undefined,
  values: readonly JsonValue[],
): string | undefined {
  const written = set?.["value"];
  const isSwitch = values.some(({ key, value }) => key === set?.["key"] && typeof value === "boolean");
  if (!isSwitch || written === undefined || !/^(?:on|off)$/iu.test(written)) return written;
  return String(written.toLowerCase() === "on");
}

/** The keys all of whose words are in a text. */
function findNamedKeys(text: string, keys: readonly string[]): readonly string[] {
  const wordsOf = (name: string): string[] => plainWords(name.replaceAll(/[._-]/gu, " ")).map(stem);
  const words = new Set(wordsOf(text));
  return keys.filter((key) => wordsOf(key).every((word) => words.has(word)));
}
