import { plainWords } from "@metahuman/core/text/words";
import type { PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { type Continued, withoutFiller } from "./short-orders.ts";
import type { SubjectOf } from "./subjects.ts";

// Orders and questions about the JSON file of the conversation that do not name it.

const MAX_LENGTH = 160;
/** "Make it 15" */
const MAKES_IT =
  /^(?:make|set|change|put|turn)\s+(?:it|that)\s+(?:to\s+|back\s+to\s+)?(?<value>[^\s,;?]+(?:\s[^\s,;?]+)?)$/iu;
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
  const { text } = withoutFiller(request);
  const makes = MAKES_IT.exec(text)?.groups?.["value"];
  const corrected = IS_NOT.exec(text)?.groups;
  const key = makes === undefined ? corrected?.["key"] : await keyAtHand(path, state);
  const value = makes ?? corrected?.["value"];
  const order =
    key === undefined || value === undefined ? `${text} in ${path}` : `set ${key} to ${value} in ${path}`;
  if (makes !== undefined && key === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: order });
  const isOfFile =
    reading.kind === "plan" &&
    reading.calls.every(({ args }) => args["path"]?.from === "request" && args["path"].value === path) &&
    (!reading.readOnly || reading.calls.every(({ view }) => view !== undefined));
  return isOfFile ? { request: order } : undefined;
}

/** The only key of the file that the last request names. */
async function keyAtHand(path: string, { earlier }: PlanState): Promise<string | undefined> {
  const requests = (await earlier?.()) ?? [];
  const contents = requests.flatMap(({ calls }) =>
    calls.flatMap(({ outputs }) =>
      outputs?.["path"] === path && typeof outputs["content"] === "string" ? [outputs["content"]] : [],
    ),
  );
  const keys = [...(contents[0] ?? "").matchAll(/"(?<key>[^"]{1,60})"\s*:/gu)].map(
    ({ groups }) => groups?.["key"] ?? "",
  );
  const words = new Set(plainWords((requests[0]?.request ?? "").replaceAll(/[_-]/gu, " ")));
  const named = keys.filter((one) =>
    plainWords(one.replaceAll(/[_-]/gu, " ")).every((word) => words.has(word)),
  );
  const [key, ...others] = [...new Set(named)];
  return others.length > 0 ? undefined : key;
}
