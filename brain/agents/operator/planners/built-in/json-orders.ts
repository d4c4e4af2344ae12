import { stem } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { type Continued, withoutFiller } from "./short-orders.ts";
import type { SubjectOf } from "./subjects.ts";

// Orders and questions about the JSON file of the conversation that do not name it.

const MAX_LENGTH = 160;
/** "Make it 15" */
const MAKES_IT =
  /^(?:make|set|change|put|turn)\s+(?:(?:it|that)\s+(?:to\s+|back\s+to\s+)?|to\s+|back\s+to\s+)(?<value>[^\s,;?]+(?:\s[^\s,;?]+)?)$/iu;
/** "And tube.kv to 50", after another value was set */
const SETS_FURTHER =
  /^(?:set\s+|change\s+)?(?:the\s+)?(?<key>[^\s,;?]+(?:\s[^\s,;?]+){0,2})\s+(?:to|=)\s+(?<value>[^\s,;?]+)$/iu;
/** A value that no sentence ends with: "and now back to work" sets nothing. */
const PLAIN_VALUE = /^(?:[-+]?\d[\d.]*|true|false|null|["“].*["”])$/iu;
/** "Tubes are 15 now, update it" */
const IS_NOW =
  /^(?:the\s+)?(?<key>[^\s,;?]+(?:\s[^\s,;?]+)?)\s+(?:is|are|r)\s+(?<value>\d[\d.]*)(?:\s+now|,?\s+(?:so\s+)?(?:please\s+|pls\s+)?(?:update|change|set|put)\s+(?:it|that))+$/iu;
/** "Add spokes 36" */
const ADDS_KEY = /^(?:add|put)\s+(?<key>\p{L}[\p{L}\d_-]*)\s+(?<value>\d[\d.]*)$/iu;
/** "Remove bells from it" */
const REMOVES_KEY =
  /^(?:remove|delete|drop|take\s+out|take)\s+(?:the\s+)?(?<gone>\p{L}[\p{L}\d_.-]*)(?:\s+(?:from|out\s+of|off)\s+(?:it|there|the\s+file))?(?:\s+out)?$/iu;
/** "Depth is 5, not 4.5" */
const IS_NOT =
  /^(?:the\s+)?(?<key>\S+(?:\s\S+)?)\s+(?:is|was|should\s+be|must\s+be)\s+(?<value>[^\s,;?]+),?\s+(?:and\s+)?not\s+\S+$/iu;

/** What a message means for the JSON file of the last request: the same order with the file, or a new value of the key at hand. */
export async function ofJson(
  request: string,
  { path, age }: SubjectOf<"file">,
  state: PlanState,
): Promise<Continued | undefined> {
  if (age > 0 || !/\.json$/iu.test(path) || request.length > MAX_LENGTH || request.includes("\n"))
    return undefined;
  const { text, isJoined } = withoutFiller(request);
  const keys = await keysOf(path, state);
  const isKey = (name = ""): boolean => keysNamed(name, keys).length > 0;
  const makes = MAKES_IT.exec(text)?.groups?.["value"];
  const further = SETS_FURTHER.exec(text)?.groups;
  const corrected =
    (isKey(further?.["key"]) || (isJoined && PLAIN_VALUE.test(further?.["value"] ?? ""))
      ? further
      : undefined) ?? (IS_NOT.exec(text) ?? IS_NOW.exec(text) ?? ADDS_KEY.exec(text))?.groups;
  const gone = REMOVES_KEY.exec(text)?.groups?.["gone"];
  const key = makes === undefined ? corrected?.["key"] : await keyAtHand(path, state);
  const value = makes ?? corrected?.["value"];
  const order =
    key !== undefined && value !== undefined
      ? `set ${key} to ${value} in ${path}`
      : gone !== undefined && isKey(gone)
        ? `remove ${gone} from ${path}`
        : `${text} in ${path}`;
  if (makes !== undefined && key === undefined) return undefined;
  // "Add insult to injury" names nothing that the file has.
  const isNamed = makes !== undefined || isKey(text) || (ADDS_KEY.test(text) && keys.length > 0);
  if (!isNamed && !(corrected !== undefined && (await wasSet(path, state)))) return undefined;
  const reading = interpretAlone({ ...state, request: order });
  const isOfFile =
    reading.kind === "plan" &&
    reading.calls.every(({ args }) => args["path"]?.from === "request" && args["path"].value === path) &&
    (!reading.readOnly || reading.calls.every(({ view }) => view !== undefined));
  return isOfFile ? { request: order } : undefined;
}

/** True if the last request set a value of the file. */
async function wasSet(path: string, { earlier }: PlanState): Promise<boolean> {
  const [last] = (await earlier?.()) ?? [];
  return (
    last?.calls.some(({ skill, outputs }) => skill === "json_update" && outputs?.["path"] === path) === true
  );
}

/** The only key of the file that the last request names. */
async function keyAtHand(path: string, state: PlanState): Promise<string | undefined> {
  const [last] = (await state.earlier?.()) ?? [];
  const [key, ...others] = keysNamed(last?.request ?? "", await keysOf(path, state));
  return others.length > 0 ? undefined : key;
}

/** The keys of a JSON file, as the conversation read it last. */
async function keysOf(path: string, { earlier }: PlanState): Promise<readonly string[]> {
  const [content = ""] = ((await earlier?.()) ?? []).flatMap(({ calls }) =>
    calls.flatMap(({ outputs }) =>
      outputs?.["path"] === path && typeof outputs["content"] === "string" ? [outputs["content"]] : [],
    ),
  );
  const keys = [...content.matchAll(/"(?<key>[^"]{1,60})"\s*:/gu)].map(({ groups }) => groups?.["key"] ?? "");
  return [...new Set(keys)];
}

/** The keys all of whose words are in a text. */
function keysNamed(text: string, keys: readonly string[]): readonly string[] {
  const wordsOf = (one: string): string[] => plainWords(one.replaceAll(/[._-]/gu, " ")).map(stem);
  const words = new Set(wordsOf(text));
  return keys.filter((one) => wordsOf(one).every((word) => words.has(word)));
}
