import { grammarOf } from "../../language/grammar/grammar.ts";
import type { FunctionMemory } from "../../contract/function.ts";
import { type Clock, dayOf } from "../../language/dates/clock.ts";
import { dateSpans } from "../../language/dates/dates.ts";
import type { PlannedCall } from "../../language/grammar/plan.ts";
import { plainOfPast } from "../../language/tokens/irregular-verbs.ts";
import { familyOf, GENERIC_THINGS } from "../matching/families.ts";
import { conceptsOf, type FunctionConcepts } from "../matching/function-concepts.ts";
import { CHANGES_NOTHING } from "../matching/kinds-of-calls.ts";
import { containsOrder } from "../matching/further-order.ts";
import type { ReadableRequest, Unit } from "../matching/request-units.ts";
import type { AlignedRequest } from "../matching/value-borders.ts";
import { kindOfValue, showsKind, acceptsAnyKind } from "../matching/value-kinds.ts";
import type { SkillGrammar } from "../../language/grammar/phrase.ts";
import { ARTICLES, canonicalWord, FUNCTION_WORDS, normalize, stem } from "../../language/tokens/words.ts";
import type { TokenizedRequest } from "./bind-template.ts";
import type { RecipeFunction } from "./match-types.ts";
import { promptTemplates } from "./prompt-template.ts";
import { shapeMismatch, shapeOf, type SlotShape } from "./slot-shape.ts";
import { plainWords } from "../../text/words.ts";

/** The minimum share of a template's words in a request with other words. */
const SHARED_WORDS = 1 / 3;

/**
 * The values of a function's parameters, or a sentence with the reason why they are doubtful. Only unquoted words are
 * doubted.
 */
export function plausibleValues(
  { request, quotations }: Pick<TokenizedRequest, "request" | "quotations">,
  values: Readonly<Record<string, unknown>>,
  content: Pick<FunctionMemory, "parameters" | "examples">,
  options: Clock & { skillGrammars: readonly SkillGrammar[] },
): Record<string, unknown> | string {
  const checked: Record<string, unknown> = { ...values };
  for (const { name, type } of content.parameters) {
    const value = values[name];
    if (typeof value !== "string" || type !== "string" || quotations.has(value)) continue;
    const shape = shapeOfParameter(content, name, options);
    const bare = shape.isText ? value : withoutArticles(value);
    const doubt = shapeMismatch(bare, shape, { clock: options, skillGrammars: options.skillGrammars });
    if (isIdiom(request, value)) return `“${value}” means nothing by itself.`;
    if (doubt !== undefined) return `“${value}” may not be meant as ${name}: ${doubt}.`;
    checked[name] = bare;
  }
  return checked;
}

const knownShapes = new WeakMap<readonly object[], Map<string, SlotShape>>();

/** The form of a parameter's earlier values; read once per version, because no day changes it. */
function shapeOfParameter(
  { examples }: Pick<FunctionMemory, "examples">,
  name: string,
  clock: Clock,
): SlotShape {
  const shapes = knownShapes.get(examples) ?? new Map<string, SlotShape>();
  const values = examples.map((example) => example.parameters?.[name]);
  const shape = shapes.get(name) ?? shapeOf(values, clock);
  knownShapes.set(examples, shapes.set(name, shape));
  return shape;
}

/** Idioms whose object is not a value: "lend a hand", "have a look". */
const IDIOMS: readonly { verb: RegExp; object: RegExp }[] = [
  {
    verb: /\b(?:lend|lent|give|gave|need|take|took)\b/iu,
    object: /^(?:(?:a|the|me a|my) )?(?:helping )?hand$/iu,
  },
  { verb: /\b(?:lend|lent|give|gave)\b/iu, object: /^(?:an |my )?ear$/iu },
  {
    verb: /\b(?:take|took|have|had|give|gave)\b/iu,
    object: /^(?:a |another )?(?:(?:quick|short) )?(?:look|seat|break|rest|try|chance|moment)$/iu,
  },
];

/** True if a value is the object of an idiom of the request. */
export const isIdiom = (request: string, value: unknown): boolean =>
  typeof value === "string" && IDIOMS.some(({ verb, object }) => verb.test(request) && object.test(value));

/**
 * The first word of a value that the skills interpret as something else: "empty" in "make empty sandwich file". Undefined if there is
 * none or no plan.
 */
export function valueWithOtherMeaning(
  values: Readonly<Record<string, unknown>>,
  plan: readonly PlannedCall[] | undefined,
): string | undefined {
  if (plan === undefined) return undefined;
  const planned = plan.flatMap(({ args }) =>
    Object.values(args).flatMap((value) => (value.from === "request" ? valueWords(value.value) : [])),
  );
  return Object.values(values)
    .filter((value) => typeof value === "string")
    .flatMap(valueWords)
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
  const requestStems = new Set(
    valueWords(request).flatMap((word) => [stem(word), stem(canonicalWord(word))]),
  );
  const wordings = promptTemplates(content).map(({ words }) => [...words]);
  const isInRequest = (word: string): boolean =>
    requestStems.has(stem(word)) || requestStems.has(stem(canonicalWord(word)));
  return (wordings.length > 0 ? wordings : [valueWords(content.title)]).some((words) => {
    const contentWords = words.filter((word) => !FUNCTION_WORDS.has(word));
    const own = contentWords.filter((word) => !vocabulary.has(word) && !stems.has(stem(word)));
    return (
      own.every(isInRequest) && contentWords.filter(isInRequest).length >= contentWords.length * SHARED_WORDS
    );
  });
}

/**
 * True if a function that changes several things is asked for with nothing but words of the skills ("create a file {path} and add a task to
 * {title}"): then its calls are its purpose.
 */
export function containsOnlyCallWords(
  content: Pick<FunctionMemory, "parameters" | "examples" | "recipe" | "title">,
  skillGrammars: readonly SkillGrammar[],
): boolean {
  const { stems, vocabulary } = grammarOf(skillGrammars);
  const wordings = promptTemplates(content).map(({ words }) => [...words]);
  return (
    (content.recipe?.actions ?? []).filter(({ skill }) => !CHANGES_NOTHING.has(skill)).length > 1 &&
    wordings.length > 0 &&
    wordings.flat().every((word) => FUNCTION_WORDS.has(word) || vocabulary.has(word) || stems.has(stem(word)))
  );
}

/** True if a request has a name or folder in common with an example of the function, in words that are not those of the skills. */
export function sharesNames(
  request: string,
  { examples }: Pick<FunctionMemory, "examples">,
  skillGrammars: readonly SkillGrammar[],
): boolean {
  const { stems, vocabulary } = grammarOf(skillGrammars);
  const namesIn = (text: string): string[] =>
    (
      text
        .toLowerCase()
        .replaceAll(FILE_EXTENSION, " ")
        .match(/\p{L}{3,}/gu) ?? []
    )
      .filter((word) => !FUNCTION_WORDS.has(word) && !vocabulary.has(word) && !stems.has(stem(word)))
      .map(stem);
  const known = new Set(examples.flatMap(({ prompt }) => namesIn(prompt)));
  return namesIn(request).some((name) => known.has(name));
}

const FILE_EXTENSION = /(?<=[\p{L}\p{N}])\.[a-z]{1,5}\b/gu;

/** Verbs that say nothing about the purpose of a function; its nouns do. */
const GENERIC_VERBS: ReadonlySet<string> = new Set(
  "see give get take have find put make do go say log note record add write want need i".split(" "),
);
/**
 * True if only a value identifies the function: "I saw a film at the cinema" has the form of "I saw a {bird} at {place}". A value
 * that the function had before counts as one of its kind, and so does a proper name if the parameter takes them.
 */
export function isIdentifiedByKind(
  { units }: ReadableRequest,
  { nouns, verbs, slots }: FunctionConcepts,
  values: Readonly<Record<string, unknown>>,
): boolean {
  const plain = (text: string): string => plainOfPast(text) ?? text;
  const isNamedByWord = units.some(
    ({ kind, text }) =>
      kind === "word" && (nouns.has(familyOf(text)) || verbs.has(text)) && !GENERIC_VERBS.has(plain(text)),
  );
  if (isNamedByWord) return false;
  return slots.some((slot) => {
    const { name, type, isProper, values: known } = slot;
    const value = values[name];
    if (type !== "text" || isProper || typeof value !== "string" || acceptsAnyKind(slot)) return false;
    const isKnown = known.some((one) => one.toLowerCase() === value.toLowerCase());
    return !isKnown && kindOfValue(slot, lowerCaseWordsOf(value)) !== "own";
  });
}

/**
 * True if the request names nothing that is specific to the function, and a value is of another kind than the earlier values of its
 * parameter: "book a flight" for a function that books people in. Quotations and proper names match every kind. With
 * `singleWordsOnly`, so does a value of several words where the name of the parameter tells no kind: "book club" for "quiz night".
 */
export function isOfOtherKind(
  { request: { units, text }, families, concepts: { nouns, slots } }: AlignedRequest,
  values: Readonly<Record<string, unknown>>,
  { singleWordsOnly = false } = {},
): boolean {
  const valueTexts = Object.values(values).map((value) => ` ${lowerCaseWordsOf(String(value)).join(" ")} `);
  const isNamed = units.some(({ kind, text: word }, index) => {
    const family = families[index] ?? "";
    const isOwn = kind === "word" && nouns.has(family) && !GENERIC_THINGS.has(family);
    return (
      isOwn &&
      !slots.some(({ labels }) => labels.has(family)) &&
      !valueTexts.some((value) => value.includes(` ${word} `))
    );
  });
  if (isNamed) return false;
  const quoted = new Set(units.flatMap((unit) => (unit.kind === "quoted" ? [unit.text] : [])));
  return slots.some((slot) => {
    const value = values[slot.name];
    // A name may be of any kind, unless the parameter and its values show one: an oven is not a room. Not every noun is known in
    // all its senses ("study"), so this only makes it doubtful.
    const mayBeOther = slot.type === "text" || (slot.type === "name" && !singleWordsOnly && showsKind(slot));
    if (!mayBeOther || typeof value !== "string" || quoted.has(value)) return false;
    if (
      singleWordsOnly &&
      acceptsAnyKind(slot) &&
      lowerCaseWordsOf(value).filter((word) => !ARTICLES.has(word)).length > 1
    )
      return false;
    if (/^(?:(?:the|an?|my|our)\s)?\p{Lu}/u.test(value)) return false;
    // "lotte" is a fish, too: a small letter proves nothing in a request without capitals.
    if (slot.isProper && !/\p{Lu}/u.test(text)) return false;
    return kindOfValue(slot, lowerCaseWordsOf(value)) === "other";
  });
}

/**
 * True if the request contains more than the values: two days for one date, a second sentence within a text, or two values in each
 * other's form, such as a code for a name and a name for a code.
 */
export function hasUnexplainedWords(
  tokenized: TokenizedRequest,
  values: Readonly<Record<string, unknown>>,
  { parameters, examples }: Pick<FunctionMemory, "parameters" | "examples">,
  clock: Clock,
): boolean {
  const { quotations } = tokenized;
  const texts = parameters.flatMap(({ name, type }) => {
    const value = values[name];
    if (type !== "string" || typeof value !== "string" || quotations.has(value)) return [];
    const earlier = examples.flatMap((example) => {
      const known = example.parameters?.[name];
      return typeof known === "string" ? [known] : [];
    });
    return [{ value, earlier }];
  });
  if (texts.some(({ value, earlier }) => TWO_SENTENCES.test(value) && !earlier.some(containsSentences)))
    return true;
  if (texts.some(({ value, earlier }) => containsOrder(value) && !earlier.some(containsOrder))) return true;
  const hasCode = (text: string): boolean => /\d/u.test(text);
  const codeForName = texts.some(
    ({ value, earlier }) => hasCode(value) && isAll(earlier, (one) => !hasCode(one)),
  );
  const nameForCode = texts.some(({ value, earlier }) => !hasCode(value) && isAll(earlier, hasCode));
  if (codeForName && nameForCode) return true;
  const dates = parameters.filter(({ type }) => type === "date").length;
  if (dates === 0) return false;
  const isInText = (written: string): boolean => texts.some(({ value }) => value.includes(written));
  const days = daysNamed(tokenized, clock).filter(({ written }) => !isInText(written));
  return new Set(days.map(({ day }) => day)).size > dates;
}

/** A day that a request names, as `YYYY-MM-DD` and as written. */
interface NamedDay {
  day: string;
  written: string;
}

const namedDays = new WeakMap<TokenizedRequest, readonly NamedDay[]>();

/** Read once for all functions. */
function daysNamed(tokenized: TokenizedRequest, clock: Clock): readonly NamedDay[] {
  const { request, tokens } = tokenized;
  const known = namedDays.get(tokenized);
  if (known !== undefined) return known;
  const days = dateSpans(request, tokens, clock).map(({ from, to, value, question }) => ({
    written: request.slice(tokens[from]?.start, tokens[to - 1]?.end),
    // A day that does not exist stays as it is written.
    day:
      question !== undefined || ISO_DAY_ALONE.test(value)
        ? value
        : dayOf({ now: new Date(value), timeZone: clock.timeZone }),
  }));
  const isoDays = (request.match(ISO_DAY) ?? []).map((day) => ({ day, written: day }));
  const found = [...days, ...isoDays];
  namedDays.set(tokenized, found);
  return found;
}

const ISO_DAY = /\b\d{4}-\d{2}-\d{2}\b/gu;
const ISO_DAY_ALONE = /^\d{4}-\d{2}-\d{2}$/u;

/** "Mr. Okafor" is not an end of a sentence. */
const TWO_SENTENCES = /(?<!\b(?:[Mm]rs?|[Mm]s|[Dd]r|[Pp]rof|[Ss]t))(?<=[\p{L}\p{N})])[.!?]\s+\p{Lu}/u;
const containsSentences = (text: string): boolean => TWO_SENTENCES.test(text);
const isAll = (texts: readonly string[], test: (text: string) => boolean): boolean =>
  texts.length > 0 && texts.every(test);

const lowerCaseWordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}'-]+|,/gu) ?? [];

/** True for a question that is not a polite request: "make sandwich file?", but not "can you make sandwich file?" */
export function isPlainQuestion(request: string): boolean {
  return (
    /\?\s*$/.test(request) &&
    !/^\W*(?:(?:hey|hi|please|ok|okay|so)\W+)*(?:can|could|would|will)\b/i.test(request)
  );
}

function valueWords(value: unknown): string[] {
  return typeof value === "string" ? plainWords(value) : [];
}

/** The value without leading articles: "the tomato soup" → "tomato soup". */
function withoutArticles(value: string): string {
  const words = value.split(/\s+/);
  const first = words.findIndex((word) => !ARTICLES.has(normalize(word)));
  return first > 0 ? words.slice(first).join(" ") : value;
}

/** Marks that are dropped around words, and may as well be a part of a name. */
const OPENING_MARKS = "_*~<(";
const CLOSING_MARKS = "_*~>)";

/**
 * True if a value occurs in the request only with such a mark on one of its sides: then the name may be cut short. An
 * occurrence inside a longer name ("yy/plan.md") does not count.
 */
export function truncatesValue(request: string, values: Readonly<Record<string, unknown>>): boolean {
  return Object.values(values).some((value) => {
    if (typeof value !== "string" || value === "") return false;
    const around = placesOf(value.toLowerCase(), request.toLowerCase()).map((start) => {
      const [before, after] = [request[start - 1] ?? " ", request[start + value.length] ?? " "];
      const [opening, closing] = [OPENING_MARKS.indexOf(before), CLOSING_MARKS.indexOf(after)];
      const isUnderlined = before === "_" || after === "_";
      const isCut = isUnderlined || (opening >= 0 && opening !== closing);
      return { isCut, isAlone: !isCut && !/[\p{L}\p{N}/.-]/u.test(before) };
    });
    return around.some(({ isCut }) => isCut) && !around.some(({ isAlone }) => isAlone);
  });
}

/** Returns whether a unit of a request is within one of the values. */
export function inValuesOf(
  request: string,
  values: Readonly<Record<string, unknown>>,
): (unit: Pick<Unit, "start" | "end"> | undefined) => boolean {
  const spans = Object.values(values).flatMap((value) =>
    typeof value === "string" && value !== ""
      ? placesOf(value.toLowerCase(), request.toLowerCase()).map((start) => [start, start + value.length])
      : [],
  );
  return (unit) =>
    unit !== undefined && spans.some(([start = 0, end = 0]) => start <= unit.start && unit.end <= end);
}

const TIME_OF_DAY =
  /\b(?:morning|noon|midday|afternoon|evening|night|tonight|midnight)\b|\b\d{1,2}(?::\d{2}|\s?[ap]m)\b/iu;
/** A part of today, or the last night: what happened in it is recorded with its day. */
const OF_TODAY = /^(?:this\s|last\snight|tonight)/iu;

/** True if the function takes a day, and the request also says a time of it that is in no value and no template: "friday afternoon". */
export function losesTime(
  { units, text }: ReadableRequest,
  content: RecipeFunction,
  values: Readonly<Record<string, unknown>>,
): boolean {
  if (!content.parameters.some(({ name, type }) => type === "date" && values[name] !== undefined))
    return false;
  const { literals, makesTask } = conceptsOf(content);
  const isInValue = inValuesOf(text, values);
  return units.some((unit) => {
    const time = unit.isHarmless || isInValue(unit) ? undefined : TIME_OF_DAY.exec(unit.text)?.[0];
    if (time === undefined || literals.has(time.toLowerCase())) return false;
    return makesTask || !OF_TODAY.test(unit.text);
  });
}

function placesOf(value: string, text: string): number[] {
  const found: number[] = [];
  for (let index = text.indexOf(value); index >= 0; index = text.indexOf(value, index + 1)) found.push(index);
  return found;
}

const plainTemplates = new WeakMap<object, ReadonlySet<string>>();

/** Whether it is one of the function's templates, word for word. */
export function isOwnTemplate(request: string, { recipe }: Pick<FunctionMemory, "recipe">): boolean {
  if (recipe === undefined) return false;
  const templates = plainTemplates.get(recipe) ?? new Set(recipe.promptTemplates.map(wordsIn));
  plainTemplates.set(recipe, templates);
  const words = wordsIn(request);
  return words !== "" && templates.has(words);
}

const wordsIn = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/\s+/gu, " ")
    .replace(/[.!]+$/u, "");
