import { oneOf } from "@metahuman/core/text/patterns";
import { CONTRACTED_NOT } from "@metahuman/core/language/tokens/words";

// The words by which readers recognise denials, conditions, questions and references, as alternatives of a regular expression. A reader names
// the lists that matter for what it reads; where it needs other words, a comment next to it says why.

/** A pattern for any of these words, in any position. */
export const anyOf = (...words: readonly string[]): RegExp =>
  new RegExp(String.raw`\b${oneOf(...words)}\b`, "iu");

/** Denials of a sentence. “No” is not one of them: it is also an answer and the value of a cell. */
export const NOT = "not|never";
/** Denials of one thing. */
export const NOTHING = "no|none|nobody|neither|nor|without";
/** A pattern for a denied sentence, and for any of these words. */
export const deniesOr = (...words: readonly string[]): RegExp =>
  new RegExp(String.raw`${anyOf(NOT, ...words).source}|${CONTRACTED_NOT}`, "iu");
export const IS_DENIED = deniesOr();

/** Conditions but for “if”, which may be polite (“if you can”), and “till”, which may be a thing. */
export const UNTIL = "unless|until|when|once";
/** An order under a condition is not carried out now. */
export const CONDITIONS = `if|${UNTIL}`;
/** Neither is an order to do something before or after something else, unless the words are a text: “call before you come”. */
export const BEFORE_OR_AFTER = "before|after";
/** The person has not decided. */
export const DOUBTS = "whether|maybe|perhaps|should|might";
/** What somebody else says, asks or wants is reported, and no order of the person: “he asked me to add a task”. */
export const REPORTS = oneOf(
  String.raw`(?<!\b(?:i|we)\s)(?:says?|said|tells?|told|asked|writes|wrote|goes|suggest(?:s|ed)|recommend(?:s|ed))`,
  String.raw`(?<!\b(?:i|we)\s)(?:advise[sd]|demand(?:s|ed)|insist(?:s|ed)|claim(?:s|ed)|propose[sd]|reckons)`,
  String.raw`want(?:s|ed)\s+(?:me|us|you|him|her|them|everybody|everyone|people)|according\s+to`,
);
/** Words in quotation marks of any kind; an apostrophe is not one. */
export const HAS_QUOTATION = /["“”«»‘]|(?<![\p{L}\p{N}])'\S[^']*'(?!\p{L})/u;
export const SHALL_I = String.raw`should\s+i|shall\s+i`;

/** Questions for what a file, a table or a task may say. None of them says why. */
export const ASKS_FOR = "who|whose|whom|what|which|when|where|how";
export const ASKS = `${ASKS_FOR}|why`;
/** Questions for a yes or a no. */
export const ASKS_IF = "is|are|was|were|do|does|did|has|have";
/** Questions for permission, and polite orders. */
export const ASKS_TO = "can|could|will|would|should";

/** Verbs of orders that change a value of any kind. Readers add the verbs of their own subjects. */
export const CHANGE_VERBS = "change|set|make|update|correct|fix|amend";

/** Pronouns for a person, for one thing and for several. */
export const PERSON = "he|she|him|her|his";
export const THING = "it|its|this|that";
export const SEVERAL = "they|them|their|theirs|these|those";
