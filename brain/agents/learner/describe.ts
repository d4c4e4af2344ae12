import type { FunctionContent, FunctionParameter } from "@metahuman/core/contract/function";
import { sourcesIn } from "@metahuman/core/contract/placeholders";
import type { GeneralizedRun } from "@metahuman/core/functions/learning/generalize-run";
import { stepsOfCalls, summaryOfCall } from "@metahuman/core/functions/store/fields-of-calls";
import type { FactsOf } from "@metahuman/core/functions/learning/learnable-run";
import { capitalize, truncateLine, uncapitalize } from "@metahuman/core/text/format";
import { stripInlineMarkdown } from "@metahuman/core/text/strip-inline-markdown";
import { contentWords } from "@metahuman/core/text/words";
import { slugify } from "@metahuman/core/text/slug";

const MAX_TITLE_LENGTH = 120;

export type Described = Pick<FunctionContent, "title" | "summary" | "steps" | "tags">;

type Learned = Pick<GeneralizedRun, "actions" | "example" | "promptTemplate" | "subject"> &
  Partial<Pick<GeneralizedRun, "parameters">>;

/** The title, summary and steps of a learned function, from the request and the skills' wording, without a model. */
export function describe(learned: Learned, factsOf: FactsOf): Described {
  const { promptTemplate, subject, parameters = [] } = learned;
  const requestText = withDefaultPaths(promptTemplate ?? subject ?? learned.example.prompt, parameters);
  const summaryOf = (skill: string): string | undefined => factsOf(skill)?.summary;
  const summaries = learned.actions.map(({ skill }) => summaryOfCall(skill, summaryOf));
  const summary = capitalize(summaries.map(uncapitalize).join(", then "));
  return {
    title: truncateLine(
      capitalize(titleOf(requestText, learned.example.prompt) ?? summary),
      MAX_TITLE_LENGTH,
    ),
    summary: `${summary}.`,
    steps: stepsOfCalls(learned.actions, summaryOf),
    tags: tagsOf(learned, factsOf),
  };
}

/** The template with the default path in place of each path that has one: "add it to members.csv". */
function withDefaultPaths(template: string, parameters: readonly FunctionParameter[]): string {
  return parameters.reduce(
    (text, { name, type, default: preset }) =>
      type === "path" && typeof preset === "string" && sourcesIn(preset).length === 0
        ? text.replaceAll(`{${name}}`, preset)
        : text,
    template,
  );
}

const VALUE = String.raw`["“„«]?\{\w+\}["”»]?`;
const NAMED_VALUE = new RegExp(
  String.raw`\b((?:an?|the|my|our|another)\s+[\p{L}-]+)(?:\s+(?:called|named|titled))?\s+${VALUE}`,
  "giu",
);
/** One slot or several in a row: "{title} {due} and {title2} {due2}". */
const VALUES = String.raw`${VALUE}(?:[\s,;]+(?:(?:and|then)\s+)*${VALUE})*`;
/** A quoted text of several values. */
const QUOTED_TEXT = /"([^"{}]*\{\w+\}[^"]*[^"}][^"]*|[^"{}]+\{\w+\})"/gu;
/** The values at the end of a short request: "New member {name}, berth {berth}, by {due}". */
const LISTED_VALUES = new RegExp(
  String.raw`(?<=\p{L}{3}.*)(?:,\s*(?:\p{L}+\s+)?${VALUE}(?:\s+\p{L}+)?)+$`,
  "u",
);
const LAST_VALUES = new RegExp(String.raw`\s*:\s*${VALUES}[.!]?\s*$`, "u");

/**
 * The request without its values as a title: "create a folder {path}" becomes "create a folder", "put {item} on the
 * list" becomes "put … on the list". Markdown is removed. Returns the request with its values if only words such as "from the"
 * remain, and undefined if nothing remains.
 */
function titleOf(template: string, request: string): string | undefined {
  const title = stripInlineMarkdown(template)
    .replaceAll(QUOTED_TEXT, "$1")
    .replaceAll(NAMED_VALUE, "$1")
    .replace(LISTED_VALUES, "")
    .replace(LAST_VALUES, "")
    .replaceAll(new RegExp(VALUES, "gu"), "…");
  if (!/\p{L}{2}/u.test(title)) return undefined;
  return contentWords(title).length > 0 ? title : stripInlineMarkdown(request);
}

function tagsOf({ actions }: Learned, factsOf: FactsOf): string[] {
  const kinds = actions.map(({ skill }) => slugify(skill.split("_")[0] ?? skill));
  const writes = actions.some(({ skill }) => factsOf(skill)?.reads === false);
  return [...new Set([...kinds, ...(writes ? [] : ["reads"])])];
}
