import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { FUNCTION_WORDS } from "@metahuman/core/language/tokens/words";
import { relativeTerms } from "@metahuman/core/text/kinship";
import { records, textField } from "@metahuman/skills/outputs";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { stepOf } from "../next-step.ts";
import { sentences } from "../phrasing.ts";

// Finds the person whom a pronoun means: "she lives in Ghent" after a request about Lena is a fact about Lena. If no request before
// names one person, the planner asks.

/** A statement about a person who is not named: "she lives in Ghent", "his number is 12". */
const UNNAMED = /^(?<pronoun>he|she|they|his|her|their)(?=['’\s])\s*/iu;
const POSSESSIVE = /^(?:his|her|their)$/iu;
const NAME = /\p{Lu}[\p{L}-]*\p{Ll}(?:['’]\p{Lu}\p{Ll}+)?(?: \p{Lu}[\p{L}-]*\p{Ll})*/gu;
const NO_NAME =
  /^(?:I|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)(?:day)?s?$|^(?:January|February|March|April|May|June|July|August|September|October|November|December)$/u;
const OWN_RELATIVE = /\b(?:[Mm]y|[Oo]ur) (?<word>\p{L}+)(?<name> \p{Lu}\p{Ll}+)?/gu;

/** The pronoun for a person with which a text begins; undefined for any other text. */
const readPronoun = (text: string): string | undefined => UNNAMED.exec(text)?.groups?.["pronoun"];

/** "Ms Okafor", also in small letters. */
const TITLED = /(?<![\p{L}'’])(?:mrs?|ms|miss|dr|prof)\.? \p{L}[\p{L}-]+/giu;

/** The persons that a text names: "Lena", "my sister". The first word is a name only before a possessive, or with a title. */
function findPersons(text: string): string[] {
  const titled = [...text.matchAll(TITLED)].map(([words]) => words);
  if (titled.length > 0) return [...new Set([...titled, ...findPersons(text.replaceAll(TITLED, " "))])];
  const names = [...text.matchAll(NAME)].flatMap(({ 0: name, index }) => {
    const isFirst = /(?:^|[.!?]\s+)$/u.test(text.slice(0, index));
    const isOwner = /^['’]s?\b/u.test(text.slice(index + name.length));
    const isName = !NO_NAME.test(name) && !FUNCTION_WORDS.has(name.toLowerCase());
    return isName && (!isFirst || isOwner || name.includes(" ")) ? [name] : [];
  });
  const relatives = [...text.matchAll(OWN_RELATIVE)].flatMap(({ groups = {}, 0: words }) =>
    groups["name"] === undefined && relativeTerms((groups["word"] ?? "").toLowerCase()).length > 0
      ? [words.toLowerCase()]
      : [],
  );
  return [...new Set([...names, ...relatives])];
}

/** How many requests back a person may have been named. */
const MAX_REQUESTS = 4;

/** True unless the title of a person says that a pronoun means somebody else: "she" is not Mr Webb. */
const isPossiblePerson = (pronoun: string, person: string): boolean =>
  !(/^(?:she|her|hers)$/iu.test(pronoun) && /^mr\b/iu.test(person)) &&
  !(/^(?:he|him|his)$/iu.test(pronoun) && /^(?:mrs|ms|miss)\b/iu.test(person));

/** The one person that the last request with a person named, or the one memory that answered it. */
async function findEarlierPerson({ earlier }: PlanState, pronoun: string): Promise<string | undefined> {
  for (const { request, calls } of ((await earlier?.()) ?? []).slice(0, MAX_REQUESTS)) {
    const [named, ...others] = findPersons(request).filter((person) => isPossiblePerson(pronoun, person));
    if (named !== undefined) return others.length === 0 ? named : undefined;
    const facts = calls.flatMap(({ outputs }) => records({ ...outputs }, "results"));
    const [knownPerson, ...more] =
      facts.length === 1 ? findPersons(` ${textField(facts[0] ?? {}, "content")}`) : [];
    if (knownPerson !== undefined) return more.length === 0 ? knownPerson : undefined;
  }
  return undefined;
}

const replacePronoun = (text: string, person: string): string => {
  const pronoun = readPronoun(text) ?? "";
  const rest = text.slice(pronoun.length);
  return POSSESSIVE.test(pronoun) ? `${person}'s${rest}` : `${person}${rest}`;
};

/** A statement with the person of the previous request in place of its pronoun; undefined if that person is unknown. */
export async function rewriteWithName(statement: string, state: PlanState): Promise<string | undefined> {
  const pronoun = readPronoun(statement);
  const person = pronoun === undefined ? undefined : await findEarlierPerson(state, pronoun);
  return person === undefined ? undefined : replacePronoun(statement, person);
}

/** "When was he born": a person that a question does not name. */
const ASKED_PERSON = /(?<![\p{L}'’])(?<pronoun>he|she|him|his|her|hers)(?:['’]s)?(?![\p{L}'’])/iu;

/** A look-up in memory with the person whom the requests before named in place of a pronoun; as it is where it has none. */
export async function completeName(call: PlannedCall, state: PlanState): Promise<PlannedCall> {
  const argument = state.skills.find(({ id }) => id === call.skill)?.answers ?? "";
  const question = call.args[argument];
  if (
    question?.from !== "request" ||
    typeof question.value !== "string" ||
    !ASKED_PERSON.test(question.value)
  )
    return call;
  const person = await findEarlierPerson(state, ASKED_PERSON.exec(question.value)?.groups?.["pronoun"] ?? "");
  const value = question.value.replace(ASKED_PERSON, (pronoun) =>
    /^(?:his|her)$/iu.test(pronoun) ? `${person ?? ""}'s` : (person ?? ""),
  );
  return person === undefined
    ? call
    : { ...call, args: { ...call.args, [argument]: { from: "request", value } } };
}

/** True for an answer that is not a name: "please send this to the tax office". */
export const isNoName = (answer: string): boolean =>
  answer.trim().split(/\s+/u).length > MAX_NAME_WORDS ||
  /^(?:please|can|could|would|send|no)\b/iu.test(answer);

const MAX_NAME_WORDS = 4;

/**
 * Stores a statement about somebody under the name that the request before has, or that the person gives: "she lives in Ghent
 * now, remember that". Undefined for any other plan.
 */
export async function decidePersonFact(
  calls: readonly PlannedCall[],
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const [call, ...others] = calls;
  const argument = state.skills.find(({ id }) => id === call?.skill)?.keeps;
  const text = argument === undefined ? undefined : call?.args[argument];
  if (call === undefined || argument === undefined || others.length > 0 || text?.from !== "request")
    return undefined;
  const statement = typeof text.value === "string" ? text.value : "";
  const pronoun = readPronoun(statement);
  if (pronoun === undefined) return undefined;
  const person = await findEarlierPerson(state, pronoun);
  const named: PlannedCall = {
    ...call,
    args: {
      ...call.args,
      [argument]:
        person === undefined
          ? {
              from: "answer",
              question: sentences.whoIs(pronoun),
              kind: "person",
              within: replacePronoun(statement, "{}"),
            }
          : { from: "request", value: replacePronoun(statement, person) },
    },
  };
  const remarks = person === undefined ? [] : [sentences.meant(pronoun, [person])];
  return stepOf([named], state, { assumed: remarks });
}
