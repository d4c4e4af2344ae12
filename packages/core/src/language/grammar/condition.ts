import { outsideQuotations, PATH, withPathFor } from "../tokens/reorder.ts";

/** A condition on a file, and the orders that depend on it. */
export interface Conditional {
  /** The file or folder that must exist, or that must contain the words. */
  path: string;
  /** Words that the file is to contain; undefined if it only has to be there. */
  words?: string;
  /** The orders if the condition is met, and otherwise; at least one of them. */
  whenMet?: string;
  otherwise?: string;
}

const NAMED = `(?:the |a |an )?(?:file |folder )?(?:called |named )?(${PATH}|(?:[\\p{L}\\p{N}_.-]+/)+[\\p{L}\\p{N}_.-]*)`;
const IT = "(?:it|the file|that file|this file|that|this|one)";
const THERE = "(?:already |still )?(?:exists?|is there|is present|is (?:already|still) there|is available)";
const ABSENT =
  "(?:does not|doesn't|doesnt|do not|is not|isn't|isnt) (?:already |yet |still )?(?:exist|there|present)(?: yet| already| anymore)?|is missing";
const MENTIONS = "(?:mentions|contains|says|includes|has|lists) (?:the words? |the text |anything about )?";

const FOUND_CONDITION = new RegExp(`^${NAMED} (?:${THERE})$`, "iu");
const NOT_FOUND_CONDITION = new RegExp(`^${NAMED} (?:${ABSENT})$`, "iu");
const THERE_IS = new RegExp(
  `^(?:there is|there's|there already is|I have|I've got) (?:already |still )?(?:a |an )?${NAMED}$`,
  "iu",
);
const THERE_IS_NO = new RegExp(
  `^(?:there is|there's|I have|I've got) (?:no|not a|not any) ${NAMED}(?: yet)?$|^(?:there isn't|there is not) (?:a |any )?${NAMED}(?: yet)?$`,
  "iu",
);
const MENTIONED = new RegExp(`^${NAMED} ${MENTIONS}(.+)$`, "iu");
const IT_IS_FOUND = new RegExp(
  `^(?:${IT} ${THERE}|there is (?:one|such a file)|present|possible|there)$`,
  "iu",
);
const IT_IS_NOT_FOUND = new RegExp(`^(?:${IT} (?:${ABSENT})|there is (?:none|no such file)|missing)$`, "iu");

const FIRST =
  /^(?<lead>(?:please|and|so|ok|okay|hey|,|\s)*)(?<word>if|unless) (?<condition>.+?)(?:\s*,\s*(?:then\s+)?|\s+then\s+)(?<then>.+)$/isu;
/** Without a comma, a condition ends after the words that say that something is there. */
const FIRST_UNMARKED = new RegExp(
  `^(?<lead>(?:please|and|so|ok|okay|hey|,|\\s)*)(?<word>if|unless) (?<condition>.+? (?:${THERE}|${ABSENT})) (?<then>.+)$`,
  "isu",
);
const LAST = /^(?<then>.+?)\s*,?\s+(?:but )?(?:only |just )?(?<word>if|unless) (?<condition>[^,]+?)\W*$/isu;
const OTHERWISE = /^(?<then>.+?)\s*[,;.]?\s*(?:otherwise|or else|else|if not)\s*,?\s*(?<otherwise>.+)$/isu;
const NOTHING = /^(?:please )?(?:do nothing|nothing|leave it|skip it|forget it|ignore it)\W*$/iu;

/** "Check if x.md exists" asks a question. */
const ASKS =
  /\b(?:check|see|tell me|find out|look|know|ask|wonder|wondering|say|test|verify|show me|let me know|confirm|make sure)\W*$/iu;

/** The condition on a file; `isMet` is false if the file must not exist. */
function readCondition(
  condition: string,
  order: string,
): { path: string; words?: string; isMet: boolean } | undefined {
  const found = (pattern: RegExp): string | undefined => pattern.exec(condition)?.slice(1).find(Boolean);
  const there = found(FOUND_CONDITION) ?? found(THERE_IS);
  if (there !== undefined) return { path: there, isMet: true };
  const absent = found(NOT_FOUND_CONDITION) ?? found(THERE_IS_NO);
  if (absent !== undefined) return { path: absent, isMet: false };
  const mentioned = MENTIONED.exec(condition);
  if (mentioned?.[1] !== undefined && mentioned[2] !== undefined)
    return { path: mentioned[1], words: mentioned[2], isMet: true };
  const isFound = IT_IS_FOUND.test(condition);
  // "Append 'hello' to a.md unless it is already there" refers to the text.
  if (/^\W*(?:append|add|insert|put|write|note)\b/iu.test(order) && /^(?:it|that|this)\b/iu.test(condition))
    return undefined;
  if (!isFound && !IT_IS_NOT_FOUND.test(condition)) return undefined;
  const path = new RegExp(PATH, "u").exec(order)?.[0];
  return path === undefined ? undefined : { path, isMet: isFound };
}

/**
 * Splits "if x.md exists, delete it" and "delete x.md unless it is missing" into the condition and the orders. Undefined
 * for a request without a condition on a file.
 */
export function conditionalOrder(request: string): Conditional | undefined {
  if (!/\b(?:if|unless)\b/iu.test(request)) return undefined;
  let found: Conditional | undefined;
  outsideQuotations(request, (masked, unmask) => {
    const parts = (FIRST_UNMARKED.exec(masked) ?? FIRST.exec(masked) ?? LAST.exec(masked))?.groups;
    if (parts === undefined) return masked;
    const { word = "", condition = "" } = parts;
    if (ASKS.test(parts.then ?? "")) return masked;
    const branches = OTHERWISE.exec(parts.then ?? "")?.groups;
    const then = branches?.then ?? parts.then ?? "";
    const otherwise = branches?.otherwise ?? "";
    const parsed = readCondition(condition.trim(), then);
    if (parsed === undefined) return masked;
    const order = (text: string): string | undefined =>
      text === "" || NOTHING.test(text) ? undefined : unmask(withPathFor(text, parsed.path));
    const isMet = word.toLowerCase() === "unless" ? !parsed.isMet : parsed.isMet;
    const [whenMet, whenNot] = isMet ? [order(then), order(otherwise)] : [order(otherwise), order(then)];
    found = {
      path: parsed.path,
      ...(parsed.words !== undefined && { words: unmask(parsed.words).replace(/^["“](.*)["”]$/u, "$1") }),
      ...(whenMet !== undefined && { whenMet }),
      ...(whenNot !== undefined && { otherwise: whenNot }),
    };
    return masked;
  });
  return found;
}

/** Orders that remove or change something, so that a condition on them must not be lost. */
const CHANGES =
  /^(?:please |(?:can|could|would|will) you (?:please )?)*(?:delete|remove|erase|discard|throw|move|rename|replace|overwrite|complete|finish|mark|tick|cancel|clear|archive)\b/iu;

/**
 * The condition at the end of orders that begin with a change: "delete a and b if c is empty". It may apply to all of
 * them, so none is executed unless the condition is understood. Undefined if there is none.
 */
export function lastCondition(request: string): string | undefined {
  let found: string | undefined;
  outsideQuotations(request, (masked, unmask) => {
    const { then = "", word = "", condition = "" } = LAST.exec(masked)?.groups ?? {};
    if (word !== "" && CHANGES.test(then) && !ASKS.test(then)) found = unmask(`${word} ${condition}`);
    return masked;
  });
  return found;
}
