import { oneOf } from "@metahuman/core/text/patterns";
import { blank, FILE, QUOTE } from "./mentions.ts";

const CLAUSE_WORDS = oneOf(
  "and|but|und|aber|et|mais|y|pero|e|because|weil|since|so|damit|although|obwohl|after|nachdem",
);
/** The end of a clause. */
export const CLAUSE = new RegExp(String.raw`(?:[,;:(]|\s[–—-])\s|\s(?=${CLAUSE_WORDS}\s)`, "giu");

const ASKS_WORDS = oneOf(
  String.raw`(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might)(?:n['’]t)? (?:i|you|we|they|he|she|it|there|that|this|the|an?|your|my|any)(?!\p{L})`,
  String.raw`(?:what|when|where|who|which|why|how|anything|something|any|want|need|okay|ok with)(?!\p{L})`,
  "(?:soll|willst|möchtest|kann|ist|sind|was|wann|wo|wer|wie|sonst) |noch (?:etwas|was)",
  "(?:veux|voulez|dois|puis|est-ce|autre|quelque|quoi|quand) |(?:quieres|puedo|debo|qué|cuándo|algo) |¿",
);
/** The start of a question. */
const ASKS = new RegExp(String.raw`^\W*(?:and |or |but |so |und |oder |et |ou |y |o )?${ASKS_WORDS}`, "iu");

const ASKS_WHETHER_TRUE_WORDS = oneOf(
  "right|correct|true|yes|no|is(?:n['’]t)? (?:it|that(?: so| right| correct)?)|are(?:n['’]t)? they",
  "or not|nicht wahr|oder|richtig|stimmt['’]?s|n['’]est-ce pas|non|verdad|cierto",
);
/** "…, right?" asks whether the rest of the sentence is true. */
const ASKS_WHETHER_TRUE = new RegExp(String.raw`(?:^|[\s,–—-])${ASKS_WHETHER_TRUE_WORDS}\s*\?`, "iu");

/** The clauses of a sentence that state something. A question after a statement leaves the statement: "It is paid, anything else?" */
export function clausesStatedIn(text: string): string[] {
  const clauses = clausesOf(text);
  if (!text.includes("?")) return clauses;
  if (ASKS_WHETHER_TRUE.test(text)) return [];
  const asked = clauses.findIndex((clause) => ASKS.test(clause));
  return asked === -1 ? [] : clauses.slice(0, asked);
}

function clausesOf(text: string): string[] {
  const unquoted = text.replaceAll(QUOTE, blank).replaceAll(FILE, blank);
  const cuts = [...unquoted.matchAll(CLAUSE)].map((match) => match.index + match[0].length);
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index]));
}
