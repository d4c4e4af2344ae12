import type { FunctionMemory } from "@metahuman/core/contract/function";
import { piecesOf, sourceLabel } from "@metahuman/core/contract/placeholders";
import type { Action, FunctionOffer } from "@metahuman/core/contract/run";
import { fillArgs, optionalNames } from "@metahuman/core/functions/recipe/instantiate";
import type { RecipeFunction, RecipeMatch } from "@metahuman/core/functions/recipe/match-types";
import { dayOf } from "@metahuman/core/language/dates/clock";
import type { Skill } from "@metahuman/skills/define-skill";
import type { Planner } from "../../planner.ts";
import { asText } from "@metahuman/core/text/format";

/** The maximum number of offers in an answer. */
const MAX_OFFERS = 3;

type OfferedFunction = RecipeFunction & Pick<FunctionMemory, "version">;

/** Answers with a preview of the likely functions. Nothing runs before a person accepts one. */
export function createOfferPlanner(likely: readonly RecipeMatch<OfferedFunction>[]): Planner {
  return {
    name: "built-in",
    async next({ requestedAt, timeZone, skills }) {
      const today = dayOf({ now: requestedAt, timeZone });
      const offers = likely.slice(0, MAX_OFFERS).map((match) => offerOf(match, today));
      return {
        kind: "answer",
        thought: "A function is likely meant, but not every word of the request is explained.",
        style: "strict",
        text: offeredText(offers, skills),
        offers,
        isIdle: true,
      };
    },
  };
}

/** The preview of a function with these values. */
function offerOf({ function: followed, values }: RecipeMatch<OfferedFunction>, today: string): FunctionOffer {
  const { id, version, title } = followed;
  return { functionId: id, version, title, values, calls: callsOf({ function: followed, values }, today) };
}

/** The calls of a function with these values. A value from an earlier call stays a placeholder. */
export function callsOf(
  { function: { recipe, parameters }, values }: Pick<RecipeMatch<RecipeFunction>, "function" | "values">,
  today: string,
): Action[] {
  const optional = optionalNames(parameters);
  return (recipe?.actions ?? []).map((action) => {
    const filled = fillArgs(action, { parameters: values, outputs: [], today }, optional);
    return { tool: action.skill, args: filled.ok ? filled.args : filledInPart(action.args, values, today) };
  });
}

/** Fills in the known values and keeps placeholders of earlier calls. */
function filledInPart(
  args: Readonly<Record<string, unknown>>,
  parameters: Readonly<Record<string, unknown>>,
  today: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, template]) => {
      const filled = fillArgs({ args: { [name]: template } }, { parameters, outputs: [], today });
      if (filled.ok) return [name, filled.args[name]];
      if (typeof template !== "string") return [name, template];
      const written = template.replaceAll(/\$\{([A-Za-z]\w*)\}/gu, (placeholder, parameter: string) =>
        parameters[parameter] === undefined ? placeholder : asText(parameters[parameter]),
      );
      return [name, written];
    }),
  );
}

function offeredText(offers: readonly FunctionOffer[], skills: readonly Skill[]): string {
  const [only, ...others] = offers;
  if (only === undefined) return "";
  const question = others.length === 0 ? "Do you mean this?" : "Do you mean one of these?";
  return `${question} Nothing has been done yet.\n\n${offers.map((offer) => oneText(offer, skills)).join("\n\n")}`;
}

/** The title of an offer with its values. */
export function offerHeading({ title, values }: Pick<FunctionOffer, "title" | "values">): string {
  const given = Object.entries(values).map(([name, value]) => `${name}: ${clipValue(value)}`);
  return `“${title}”${given.length > 0 ? ` — ${given.join(", ")}` : ""}`;
}

function oneText(offer: FunctionOffer, skills: readonly Skill[]): string {
  const { calls } = offer;
  const steps = calls.map(({ tool, args }, index) => {
    const summary = skills.find(({ id }) => id === tool)?.summary ?? tool;
    const argTexts = argumentTexts(args, calls);
    return `${String(index + 1)}. ${summary}${argTexts.length > 0 ? `: ${argTexts.join(", ")}` : ""}`;
  });
  return [offerHeading(offer), ...steps].join("\n");
}

/** The arguments of one of these calls, as a person reads them. */
export const argumentTexts = (args: Action["args"], calls: readonly Action[]): string[] =>
  Object.entries(args).map(([name, value]) => argumentText(name, withResults(value, calls)));

/**
 * A value with words for the results of earlier steps: the argument of the same name where the step has one, because skills return the
 * path that they are given, otherwise "the total of step 2".
 */
function withResults(value: unknown, calls: readonly Action[], depth = 0): unknown {
  if (typeof value !== "string") return value;
  return piecesOf(value)
    .map((piece) => {
      if (typeof piece === "string") return piece;
      const given = piece.kind === "step" ? calls[piece.step - 1]?.args[piece.field] : undefined;
      // A step may pass on the result of the step before it.
      return typeof given === "string" && depth < calls.length
        ? withResults(given, calls, depth + 1)
        : `the ${sourceLabel(piece)}`;
    })
    .join("");
}

/** An argument as a person reads it. A path, and the text that a call is about, need no label. */
function argumentText(name: string, value: unknown): string {
  if (name === "path") return clipValue(value);
  return TEXT_ARGUMENTS.has(name) ? `“${clipValue(value)}”` : `${name} ${clipValue(value)}`;
}

const TEXT_ARGUMENTS: ReadonlySet<string> = new Set(["content", "message", "query", "text", "title"]);

/** The maximum length of a value in a preview, in UTF-16 code units. */
const MAX_VALUE_LENGTH = 200;

function clipValue(value: unknown): string {
  const text = asText(value).trim();
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH).toWellFormed()}…` : text;
}
