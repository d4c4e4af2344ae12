import { oneOf } from "@metahuman/core/text/patterns";
import { PATH } from "@metahuman/core/language/tokens/reorder";
import { anyOf, BEFORE_OR_AFTER, CONDITIONS, DOUBTS, IS_DENIED, REPORTS } from "./word-lists.ts";

// A request of one order and of statements that only give its reason: "cancel the placement form, it's handed in".

const ORDER_VERBS = oneOf(
  "add|append|put|remove|delete|take|drop|cross|tick|untick|check|uncheck|mark|cancel|skip|pause|resume",
  "stop|move|shift|push|postpone|bring|rename|change|swap|replace|exchange|set|make|create|start|begin",
  "write|draft|jot|note|save|keep|enter|include|remember|remind|wake|copy|show|read|open|tell|find",
  "search|list|count|sort|undo|calculate|convert|strike|scratch|scrap|bin|forget|reopen|overwrite|trash",
  String.raw`get\s+rid\s+of|throw\s+away`,
  String.raw`\d[\d.,]*\s*(?:times|plus|minus|[x*+/])`,
);
/** The beginning of an order. */
export const STARTS_WITH_ORDER = new RegExp(
  String.raw`^(?:please\s+|then\s+|can\s+you\s+|could\s+you\s+)*${ORDER_VERBS}(?=\s|$)`,
  "iu",
);
const PRONOUN_FIRST = String.raw`(?:i|we|he|she|they|it|its|it['’]s|i['’]m|he['’]s|she['’]s|we['’]re|they['’]re|that['’]s|there['’]?s?)\s+\S`;
const DETERMINER = String.raw`(?:(?:the|my|our|your|his|her|their|this|that|these|those|all|some|nobody|everybody|everyone|a|an)\s+)?`;
const VERB = oneOf(
  "is|are|was|were|has|have|had|does|did|doesn['’]t|can['’]?t|cannot|can|will|won['’]t",
  String.raw`got|went|left|said|called|rang|phoned|told|moved|came|broke|paid|died|fell|lost|won|\p{L}{2,}ed`,
  "needs?|drinks?|weighs?|wants?|likes?|goes|comes|gets|takes|lives|stays|joins",
);
const FILE_IS = String.raw`(?:the\s+file\s+)?${PATH}\s+(?:is|was|has|looks|seems)\s+(?!not\b(?!\s+(?:needed|used|wanted|necessary|required|relevant|in\s+use)\b))\S`;
const BETTER = String.raw`[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+){0,3}?\s+(?:would\s+be|is|are|was)\s+(?:much\s+|far\s+|even\s+|actually\s+)*(?:better|nicer|best|preferable)\b`;
/** A clause that states something, such as a reason: a subject and its verb. */
export const STATEMENT = new RegExp(
  String.raw`^(?:(?:because|since|as|cos|cause)\s+)?(?:${PRONOUN_FIRST}|${DETERMINER}(?:[\p{L}\p{N}'’-]+\s+){1,5}?${VERB}\b|${FILE_IS}|${BETTER}|(?:nobody|no\s+one)\s+(?:needs|uses|wants|reads)\b)`,
  "iu",
);
/** "Blue would be better": what is preferred is not what "it" means. */
const PREFERS = new RegExp(`^${BETTER}`, "iu");
const PATHS = new RegExp(PATH, "giu");
/** Conditions and limits: without them, the order would mean something else. */
const CONDITION_OR_LIMIT = anyOf(
  `${CONDITIONS}|till|${BEFORE_OR_AFTER}|${DOUBTS}|never|except|only|but|whenever|instead|or|otherwise|must|may`,
  String.raw`as\s+soon\s+as|provided|in\s+case|not\s+sure`,
);
const PRONOUN = /\b(?:it|hers?|him|his|theirs|them|that(?:\s+one)?)\b/iu;
const SUBJECT_WORDS = oneOf(
  "is|are|was|were|has|have|had|got|left|said|called|rang|phoned|moved|came|broke|paid|died|fell",
  String.raw`\p{L}{2,}ed`,
);
const SUBJECT = new RegExp(
  String.raw`^(?:(?:the|my|our|this|that)\s+)?(?!(?:they|these|those|he|she|it|we|you|i)\b)(?<noun>[\p{L}\p{N}'’-]+(?:\s[\p{L}\p{N}'’-]+)?)\s+${SUBJECT_WORDS}\b`,
  "iu",
);

const SOMEBODY = "(?:they|he|she|we|i)";
/** The beginning of a clause about what somebody did or what happened, also without punctuation before it. */
const HAPPENED = oneOf(
  String.raw`${SOMEBODY}\s+(?:\p{L}{2,}ed|can['’]?t|won['’]?t|have|has|hasn['’]?t|haven['’]?t|had|got|did|are|is|were|was)\b`,
  String.raw`it\s+(?:was|had|got|went|broke|died|\p{L}{2,}ed)\b`,
);
const JOINS = "(?:before|after|when|while|that|what|which|who|if|as|until|where|than|and|or|but|because|so)";
const CLAUSE_END = new RegExp(
  [
    String.raw`\s*[,;.!]\s+`,
    String.raw`\s+so\s+(?=\S)`,
    String.raw`\s+(?=${HAPPENED})`,
    String.raw`\s+(?=${SOMEBODY}\s+\p{L}+[\s.!]*$)`,
    String.raw`(?<!\b${JOINS})\s+(?=${SOMEBODY}\s+\p{L}+\s+(?:it|them|him|her)\b)`,
  ].join("|"),
  "iu",
);

/**
 * An order without the statements next to it: "cancel the placement form, it's handed in", "Nolan rang, he can't. Take that one out."
 * A pronoun in the order means what a statement before it is about. The request itself if it has another form.
 */
export function withoutReasons(request: string): string {
  const clauses = request
    .split(CLAUSE_END)
    .map((clause) => clause.trim().replace(/[.!]+$/u, ""))
    .filter((clause) => clause !== "");
  const [order = "", ...others] = clauses.filter((clause) => STARTS_WITH_ORDER.test(clause));
  const statements = clauses.filter((clause) => clause !== order);
  if (others.length > 0 || order === "" || statements.length === 0 || statements.length > MAX_STATEMENTS)
    return request;
  if (CONDITION_OR_LIMIT.test(request) || IS_DENIED.test(order)) return request;
  if (!statements.every((clause) => STATEMENT.test(clause))) return request;
  // "My mother used to say, stop worrying" and "they say it is junk, delete it" order nothing.
  if (statements.some((clause) => /\b(?:say|went|tell|like)$/iu.test(clause) || IS_REPORTED.test(clause)))
    return request;
  // "Bring it back" means what was removed, whatever else the request mentions.
  if (!PRONOUN.test(order) || /\bback\b/iu.test(order)) return order;
  const before = clauses.slice(0, clauses.indexOf(order)).filter((clause) => !PREFERS.test(clause));
  const [file, ...otherFiles] = new Set(statements.flatMap((clause) => clause.match(PATHS) ?? []));
  if (file !== undefined && /\bit\b/iu.test(order)) {
    // "a.md is final, b.md was a draft, delete it" may mean either of them.
    const isMeant = otherFiles.length === 0 && before.length === 1 && before[0]?.includes(file) === true;
    return isMeant ? order.replace(/\bit\b/iu, () => file) : request;
  }
  const [noun, ...otherNouns] = before.flatMap((clause) => SUBJECT.exec(clause)?.groups?.["noun"] ?? []);
  if (noun !== undefined && !IS_PRONOUN.test(noun))
    return otherNouns.every((other) => IS_PRONOUN.test(other)) ? order.replace(PRONOUN, () => noun) : request;
  // "12 g salt is too much, make that 9 g": without the statement, "that" would be something else.
  return before.every((clause) => IS_PRONOUN.test(clause)) ? order : request;
}

const MAX_STATEMENTS = 2;
const IS_REPORTED = new RegExp(String.raw`\b${REPORTS}\b|^(?:they|people)\s+say\b`, "iu");
const IS_PRONOUN = /^(?:it|he|she|they|i|we|you|that|this|there)(?:['’]\p{L}+)?\b/iu;
