import { wholeWords } from "@metahuman/core/text/patterns";
import { type ScratchpadEntry } from "@metahuman/core/contract/run";
import { actionsIn } from "./action-claims.ts";
import { ACTION_FORMS, type ActionKind, kindsOfTool } from "./action-words.ts";
import { isObserved, type PreparedEvidence } from "./evidence.ts";
import { CITATION, contentWords, filesIn, stem } from "./mentions.ts";
import { openFailuresIn, wasExecuted } from "./open-failures.ts";
import { type Problem, refuted } from "./problem.ts";
import { CONDITIONAL, NEGATION, NOW, STANDS } from "./vocabulary.ts";

/** Words that report a failure. Negations are in `NEGATION`. */
export const FAILURE = new RegExp(
  wholeWords(
    String.raw`fail\p{L}*|errors?|den(?:y|ied)|declin\p{L}*|refus\p{L}*|reject\p{L}*|blocked|invalid|outside`,
    String.raw`unknown|missing|already (?:exists?|there|taken)|(?:exists?|there|taken) already|tried|attempt\p{L}*`,
    String.raw`fehl\p{L}*|abgelehnt|verweigert|verboten|existiert (?:schon|bereits)|erreur|échou\p{L}*|existe déjà`,
    String.raw`falló|fallado|denegad\p{L}*|rechaz\p{L}*|ya existe`,
  ),
  "iu",
);

const CHANGING: ReadonlySet<ActionKind> = new Set<ActionKind>(["write", "delete", "move", "update"]);

const reportsFailure = (text: string): boolean => NEGATION.test(text) || FAILURE.test(text);

/**
 * "The port is 587 now [2]", where call 2 failed and no later call made it good. A sentence that says so ("The page was not read [2]") is left alone, and so is one that
 * also cites another call.
 */
export function citedFailures(text: string, { source }: PreparedEvidence): Problem[] {
  const observed = source.scratchpad.filter(isObserved);
  // Citing a failed attempt together with the one that succeeded is only imprecise.
  const failed = new Set(openFailuresIn(observed).map((index) => observed[index]?.step));
  if (failed.size === 0) return [];
  const problems: Problem[] = [];
  let stated = "";
  for (const { words, cited } of citingParts(text)) {
    stated = /\p{L}/u.test(words) ? words : stated;
    const [first] = cited;
    if (first !== undefined && cited.every((step) => failed.has(step)) && !reportsFailure(stated))
      problems.push(refuted(`Observation ${String(first)} is cited, and this call failed.`));
  }
  return problems;
}

/** The parts of a sentence that end with citations, with the cited numbers; "[1][2]" and "[1, 2]" belong together. */
function citingParts(text: string): { words: string; cited: number[] }[] {
  const groups = new RegExp(`(?:${CITATION.source}\\s*)+`, "gu");
  let from = 0;
  return [...text.matchAll(groups)].map((match) => {
    const words = text.slice(from, match.index);
    from = match.index + match[0].length;
    return { words, cited: (match[0].match(/\d+/gu) ?? []).map(Number) };
  });
}

/** "She is marked as paid", "the lists are deleted" */
const IS_CHANGED = new RegExp(
  `(?<!\\p{L})(?:is|are|was|were|been|['’]s|['’]re|ist|sind|wurden?|est|sont|está|están) (?:(?:now|both|all|also|jetzt|nun|auch|maintenant|ahora) )*(?:${[...ACTION_FORMS].flatMap(([form, kind]) => (CHANGING.has(kind) ? [form] : [])).join("|")})(?!\\p{L})`,
  "iu",
);

const CLAUSE_END = /[;:]\s|,?\s(?=(?:and|but|und|aber|et|mais|y|pero|och|e) )/u;

/**
 * "The timeout is 60 now", "I updated web.ini", where every call that would have changed it failed: those for the file that is named, or
 * all of the run.
 */
export function unmadeChanges(text: string, evidence: PreparedEvidence): Problem[] {
  const attempts = evidence.source.scratchpad.filter((entry) => wasExecuted(entry) && isChanging(entry));
  if (attempts.every(({ observation }) => observation?.success === true)) return [];
  return text.split(CLAUSE_END).flatMap((clause) => {
    if (reportsFailure(clause) || CONDITIONAL.test(clause) || clause.endsWith("?")) return [];
    const isState = STANDS.test(clause) && (NOW.test(clause) || IS_CHANGED.test(clause));
    if (!isState && !actionsIn(clause).some(({ isOwn }) => isOwn)) return [];
    const files = filesIn(clause).map(nameOf);
    const about = attempts.filter((entry) =>
      files.length > 0 ? files.some((file) => namesOf(entry).includes(file)) : sharesWord(clause, entry),
    );
    const relevant = files.length > 0 ? about : attempts;
    const isUnmade = about.length > 0 && relevant.every(({ observation }) => observation?.success !== true);
    return isUnmade ? [refuted("This is said to be done, and every call for it failed.")] : [];
  });
}

const isChanging = ({ action }: ScratchpadEntry): boolean =>
  kindsOfTool(action?.tool ?? "").some((kind) => kind !== "look");

const nameOf = (path: string): string => path.toLowerCase().split("/").at(-1) ?? path;

/** The names of the files in the arguments of a call. */
const namesOf = ({ action }: ScratchpadEntry): string[] =>
  Object.values(action?.args ?? {}).flatMap((value) => (typeof value === "string" ? [nameOf(value)] : []));

function sharesWord(clause: string, { action }: ScratchpadEntry): boolean {
  const known = new Set(contentWords(JSON.stringify(action?.args ?? {})).map(stem));
  return contentWords(clause).some((word) => known.has(stem(word)));
}
