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

/** The share of a template's words that a request in other words still has. */
const SHARED_WORDS = 1 / 3;

/**
 * The values of a function's parameters as they are meant, or a sentence that says why they may mean something else.
 * Only words that the person wrote without quotation marks are doubted.
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

/** A word in a value that the skills read as their own: of "make empty sandwich file", "empty" names nothing. */
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
 * True when a request speaks of what the function is for: of one of its templates it has a good part of the words, and
 * every one that is no word of the skills' own ("diary" in "write {text} in the diary"). The same steps for another
 * purpose are not the same request.
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

/** "Make sandwich file?" asks; "can you make sandwich file?" orders. */
export function onlyAsks(request: string): boolean {
  return (
    /\?\s*$/.test(request) &&
    !/^\W*(?:(?:hey|hi|please|ok|okay|so)\W+)*(?:can|could|would|will)\b/i.test(request)
  );
}

function wordsOf(value: unknown): string[] {
  return typeof value === "string" ? (value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : [];
}

/** "The tomato soup" names what "tomato soup" does. */
function withoutArticles(value: string): string {
  const words = value.split(/\s+/);
  const first = words.findIndex((word) => !ARTICLES.has(normalize(word)));
  return first > 0 ? words.slice(first).join(" ") : value;
}
