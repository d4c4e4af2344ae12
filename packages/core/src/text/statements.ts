/** Verbs of what people tell about themselves and their things. */
const VERB =
  "(?:is|are|am|was|were|has|have|had|likes?|loves?|hates?|lives?|works?|costs?|starts?|ends?|closes?|opens?|owes?|lies|hangs?|comes?|goes|keeps?|needs?|takes?|meets?|sits?|stands?|belongs?|drives?|drinks?|eats?|plays?|speaks?|prefers?|uses?|moved|died|arrives?|leaves|sleeps?|stays?|pays|wears?|turned|retired|studies|teaches|sings?|rents?|shares?|does|do|can|cannot|(?:does|do|is|are|has|have|was|were|can)n?['’]t)";
/** Words that do not begin a statement of their own, because they depend on the words before. */
const DEPENDENT =
  "(?:it|he|she|they|this|that|these|those|there|here|who|which|what|where|when|why|how|if|and|but|or|not|so|then|because|since|while|as)";
/** "Gym is on Tuesdays": one or two words and a form of "be". */
const BARE = String.raw`(?!${DEPENDENT}\s)\p{Ll}[\p{L}-]{2,}(?:\s+(?!${DEPENDENT}\s)\p{Ll}[\p{L}-]+)?\s+(?:is|are|was|were)\s+\S`;
/** A subject of its own and its verb: "I'm …", "our boat Selma lies …", "Pirkko has …", "Aino's teacher is …". */
const OPENING = String.raw`(?:I['’]m|(?:I|we|We|(?:[Mm]y|[Oo]ur|[Tt]he|[Hh]is|[Hh]er|[Tt]heir)(?:\s+[\p{L}\p{N}'’-]+){1,6}?|\p{Lu}[\p{L}'’-]+(?:\s+(?:\p{Lu}|and\s+\p{Lu})[\p{L}'’-]+){0,2}|\p{Lu}[\p{L}-]+['’]s(?:\s+[\p{L}-]+){1,3}?)\s+${VERB})\s+\S`;
const STATEMENT = new RegExp(`^${OPENING}`, "u");
const JOINT = new RegExp(
  String.raw`(?:\s*[,;]\s+(?:(?:and|but)\s+)?|\s+(?:and|but)\s+)(?=${OPENING}|${BARE})`,
  "gu",
);

/**
 * The statements that a sentence joins, each with a subject and a verb of its own: "our boat lies at pier 14, Riitta is
 * allergic to nuts, and the key hangs behind the shed". One part, the whole text, if it does not begin with a statement.
 */
export function statementsIn(text: string): string[] {
  return STATEMENT.test(text) ? text.split(JOINT) : [text];
}

const OWN_SUBJECT = new RegExp(
  String.raw`(?:[,;]\s+(?:(?:and|but)\s+)?|\s(?:and|but)\s+)(?!${VERB}\s)(?:(?!${DEPENDENT}\s)[^\s,;]+\s+){1,5}?${VERB}\s`,
  "iu",
);
const FIRST_VERB = new RegExp(String.raw`\s${VERB}\s(.*)$`, "isu");

/** True for words that may hold two statements: after a verb, a comma or "and" begins words with a verb of their own. */
export const mayHoldSeveral = (text: string): boolean => OWN_SUBJECT.test(FIRST_VERB.exec(text)?.[1] ?? "");

const ANY_VERB = new RegExp(String.raw`(?<![\p{L}'’-])${VERB}(?![\p{L}'’-])`, "iu");

/** True if the words contain a verb of a statement. */
export const hasVerb = (words: string): boolean => ANY_VERB.test(words);
