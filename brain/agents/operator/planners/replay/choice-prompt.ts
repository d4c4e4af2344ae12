import type { FunctionMemory } from "@metahuman/core/contract/function";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import { fenceData } from "@metahuman/core/context/fenced";
import { localDay } from "@metahuman/core/language/dates/clock";
import type { PlanState } from "../../planner.ts";
import { prompt } from "../../prompts/load-prompt.ts";

type ChoosingState = Pick<PlanState, "request" | "conversation" | "requestedAt" | "timeZone">;

const LAST_TURNS = 3;
const TURN_TOKENS = 40;
const REQUEST_TOKENS = 150;
const VALUE_TOKENS = 12;
/** The maximum number of tokens of the prompt. */
const PROMPT_TOKENS = 600;

/** The JSON Schema of a choice among these functions. */
export function choiceSchema(candidates: readonly FunctionMemory[]): Record<string, unknown> {
  const ids = candidates.map(({ id }) => id);
  return {
    type: "object",
    properties: {
      function: { enum: [...ids, null] },
      values: { type: "object", additionalProperties: { type: ["string", "number", "boolean"] } },
      because: { type: "string" },
    },
    required: ["function", "values", "because"],
    additionalProperties: false,
  };
}

/** The prompt for a choice: the functions, the last turns and the request. */
export function choiceMessages(candidates: readonly FunctionMemory[], state: ChoosingState) {
  const turns = state.conversation.turns
    .slice(-LAST_TURNS)
    .map(({ role, text }) => `${role}: ${clipToTokens(text, TURN_TOKENS)}`);
  const rules = prompt("choose");
  const asked = [
    `Today is ${todayFor(state)}.`,
    ...(turns.length > 0 ? [`Conversation:\n${fenceData(turns.join("\n"))}`] : []),
    `Request:\n${fenceData(clipToTokens(state.request, REQUEST_TOKENS))}`,
  ].join("\n\n");
  const left = PROMPT_TOKENS - estimateTokens(rules) - estimateTokens(asked);
  const each = Math.floor(left / Math.max(1, candidates.length));
  const descriptions = candidates.map((one) => clipToTokens(describe(one), each));
  return [
    { role: "system" as const, content: rules },
    { role: "user" as const, content: `Functions:\n${descriptions.join("\n")}\n\n${asked}` },
  ];
}

/** "Sunday 2026-11-29", so that a model can work out what "friday" is. */
function todayFor({ requestedAt, timeZone }: ChoosingState): string {
  const weekday = new Intl.DateTimeFormat("en", { timeZone, weekday: "long" }).format(requestedAt);
  return `${weekday} ${localDay(requestedAt, timeZone)}`;
}

function describe({ id, title, summary, parameters, recipe, examples }: FunctionMemory): string {
  const [example] = examples;
  const taken = parameters.map(({ name, type, description }) => {
    const kind = `${name} (${type}${description === "" ? "" : `: ${description}`})`;
    const value = example?.parameters?.[name];
    // Two texts of one request are told apart by what they were.
    return value === undefined ? kind : `${kind} = ${clipToTokens(JSON.stringify(value), VALUE_TOKENS)}`;
  });
  const does = (recipe?.actions ?? []).map(({ skill }) => skill).join(", ");
  const asked =
    example === undefined ? "" : ` Asked as: ${JSON.stringify(example.prompt)}, with these values.`;
  return `- ${id}: ${title}. ${summary} Does: ${does}. Values: ${taken.join("; ") || "none"}.${asked}`;
}
