import { grammarOf } from "../../language/grammar/grammar.ts";
import type { FunctionMemory } from "../../contract/function.ts";
import type { Clock } from "../../language/dates/clock.ts";
import type { PlannedCall } from "../../language/grammar/plan.ts";
import { tokenize } from "../../language/tokens/tokens.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import { canonicalWord } from "../../language/tokens/synonyms.ts";
import { ARTICLES, FUNCTION_WORDS, normalize, stem } from "../../language/tokens/words.ts";
import { promptTemplates } from "./prompt-template.ts";
import { misfit, shapeOf } from "./slot-shape.ts";

/** The minimum share of a template's words in a request with other words. */
const SHARED_WORDS = 1 / 3;

/**
 * The values of a function's parameters, or a sentence with the reason why they are doubtful. Only unquoted words are
 * doubted.
 */
export function plausibleValues(
  request: string,
  values: Readonly<Record<string, unknown>>,
  content: Pick<FunctionMemory, "parameters" | "examples">,
  options: Clock & { skillGrammars: readonly SkillGrammar[] },
): Record<string, unknown> | string {
  const quoted = new Set(tokenize(request).flatMap(({ kind, text }) => (kind === "quoted" ? [text] : [])));
  const meant: Record<string, unknown> = { ...values };
  for (const { name, type } of content.parameters) {
    const value = values[name];
    if (typeof value !== "string" || type !== "string" || quoted.has(value)) continue;
    const shape = shapeOf(
      content.examples.map((example) => example.parameters?.[name]),
      options,
    );
    const bare = shape.isText ? value : withoutArticles(value);
    const doubt = misfit(bare, shape, { clock: options, skillGrammars: options.skillGrammars });
    if (doubt !== undefined) return `“${value}” may not be meant as ${name}: ${doubt}.`;
    meant[name] = bare;
  }
  return meant;
}

/** A word in a value that has a meaning for the skills: in "make empty sandwich file", "empty" is no name. */
export function otherwiseRead(
  values: Readonly<Record<string, unknown>>,
  plan: readonly PlannedCall[] | undefined,
): string | undefined {
  if (plan === undefined) return undefined;
  const planned = plan.flatMap(({ args }) =>
    Object.values(args).flatMap((value) => (value.from === "request" ? wordsOf(value.value) : [])),
  );
  return Object.values(values)
    .filter((value) => typeof value === "string")
    .flatMap(wordsOf)
    .find((word) => !planned.includes(word));
}

/**
 * True if a request is about the purpose of the function: it shares enough words with one of the templates, and all of
 * those that are not vocabulary of the skills ("diary" in "write {text} in the diary"). Equal steps for another purpose
 * are another request.
 */
export function isAbout(
  request: string,
  content: Pick<FunctionMemory, "parameters" | "examples" | "recipe" | "title">,
  skillGrammars: readonly SkillGrammar[],
): boolean {
  const { stems, vocabulary } = grammarOf(skillGrammars);
  const said = new Set(wordsOf(request).flatMap((word) => [stem(word), stem(canonicalWord(word))]));
  const ways = promptTemplates(content).map(({ words }) => [...words]);
  const isSaid = (word: string): boolean => said.has(stem(word)) || said.has(stem(canonicalWord(word)));
  return (ways.length > 0 ? ways : [wordsOf(content.title)]).some((words) => {
    const told = words.filter((word) => !FUNCTION_WORDS.has(word));
    const own = told.filter((word) => !vocabulary.has(word) && !stems.has(stem(word)));
    return own.every(isSaid) && told.filter(isSaid).length >= told.length * SHARED_WORDS;
  });
}

/** True for a question: "make sandwich file?" asks, "can you make sandwich file?" orders. */
export function onlyAsks(request: string): boolean {
  return (
    /\?\s*$/.test(request) &&
    !/^\W*(?:(?:hey|hi|please|ok|okay|so)\W+)*(?:can|could|would|will)\b/i.test(request)
  );
}

function wordsOf(value: unknown): string[] {
  return typeof value === "string" ? (value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [];
}

/** The value without articles: "the tomato soup" equals "tomato soup". */
function withoutArticles(value: string): string {
  const words = value.split(/\s+/);
  const first = words.findIndex((word) => !ARTICLES.has(normalize(word)));
  return first > 0 ? words.slice(first).join(" ") : value;
}
