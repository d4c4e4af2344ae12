import { stemOf } from "@metahuman/core/memory/text/stem";
import { contentWords, wordsOf } from "@metahuman/core/memory/text/words";

const joinedWords = (text: string): string => {
  const folded = text.normalize("NFKC").toLowerCase();
  return ` ${(folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(" ")} `;
};

/**
 * Whether a person wrote `text` themselves. True if its words stand in one of the sources in this order with nothing
 * between them, where letter case, punctuation and spacing do not count. Also true if a model rephrased what the person
 * said ("I'm allergic to nuts" becomes "User is allergic to nuts"): see `isRephrased`. Text without any word is
 * compared as it is.
 */
export function isOwnWords(text: string, sources: readonly string[]): boolean {
  const said = joinedWords(text);
  if (said.trim() === "") return sources.some((source) => source.includes(text));
  return sources.some((source) => joinedWords(source).includes(said)) || isRephrased(text, sources);
}

/** Words by which a note names the person or that only introduce what is to be noted, as stems. */
const NAMES_PERSON = stemsOf("user person owner");
const INTRODUCES = stemsOf(
  "remember note notice save store keep know tell mind memory fact way fyi forget also hello hi hey ok okay thanks thank",
);
/** Words that change what a sentence claims. A rephrasing has to have the same ones. */
const QUALIFIERS = new Set(
  (
    "not no never none nobody nothing neither nor cannot without unless if only except until maybe perhaps might may could " +
    "should would hardly rarely dont doesnt didnt isnt arent wasnt werent wont cant couldnt shouldnt wouldnt havent hasnt " +
    "nicht kein keine keinen nie niemals wenn falls nur ohne ne pas jamais sans si aucun nunca sin solo nao niet geen nooit"
  ).split(" "),
);
const DO_NOT_FORGET = /\b(?:do not|don['’]t|never) forget\b/giu;
const SENTENCE = /(?<=[.!?;])\s+|\n+/u;
const CLAUSE = /[,;:.!?]+(?=\s|$)|\n+|\b(?:and|but|that|und|aber|dass|et|mais|que|y|pero)\b/iu;

/**
 * True if every clause of `text` takes all its content words, by stem and in this order, from one sentence of a source,
 * starts where that sentence or one of its clauses starts, and is qualified by the same words ("not", "only", "if").
 * Words that name the person, and the verbs that introduce a note, do not count. A single word proves nothing, and
 * words of two sentences are never put together.
 */
function isRephrased(text: string, sources: readonly string[]): boolean {
  const said = sources.flatMap((source) =>
    source
      .replaceAll(DO_NOT_FORGET, "remember")
      .split(SENTENCE)
      .flatMap((sentence) => [sentence, ...sentence.split(CLAUSE)]),
  );
  const stands = (part: string): boolean =>
    contentWords(part).length > 0 && said.some((source) => saysTheSame(part, source));
  if (stands(text)) return true;
  const parts = text.split(CLAUSE).filter((part) => wordsOf(part).length > 0);
  return parts.length > 1 && parts.every(stands);
}

function saysTheSame(part: string, source: string): boolean {
  if (qualifiersOf(part) !== qualifiersOf(source)) return false;
  const kept = [...stemsOf(part)].filter((stem) => !NAMES_PERSON.has(stem));
  const told = [...stemsOf(source)].filter((stem) => !INTRODUCES.has(stem));
  if (kept.length < 2 || kept[0] !== told[0]) return false;
  let from = 0;
  return kept.every((stem) => {
    const at = told.indexOf(stem, from);
    from = at + 1;
    return at >= 0;
  });
}

function qualifiersOf(text: string): string {
  return [...new Set(wordsOf(text).filter((word) => QUALIFIERS.has(word)))].sort().join(" ");
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(contentWords(text).map(stemOf));
}
