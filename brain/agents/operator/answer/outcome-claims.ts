import { oneOf } from "@metahuman/core/text/patterns";
import { isOpenStatus } from "@metahuman/core/contract/task";
import { type ActionKind, kindOf } from "./action-words.ts";
import { isChange } from "./action-claims.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { contentWords, significantWords, stem } from "./mentions.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention } from "./quantities.ts";
import { withoutRequests } from "./unbacked-claims.ts";
import { ALL, CONDITIONAL, EXCEPT, HAPPENED, NEGATION, STANDS } from "./vocabulary.ts";

const TASK = /(?<!\p{L})(?:tasks?|to-?dos?|aufgaben?(?:liste)?|tâches?|tareas?)(?!\p{L})/iu;

/** "… is on your list" */
const IS_LISTED = new RegExp(
  [
    String.raw`(?:\s(?:is|are|stands?|sits?|waits?)|['’](?:s|re)) (?:(?:now|also|already|both|safely) )*(?:on|in) (?:your|the) (?:(?:task|to-?do|open)[ -])?(?:lists?|tasks|to-?dos)(?!\p{L})`,
    String.raw`\s(?:steht|ist|sind|stehen) (?:(?:jetzt|nun|auch|bereits) )*(?:auf|in) (?:deiner|der|ihrer) (?:aufgaben|to-do-)?liste(?!\p{L})`,
  ].join("|"),
  "iu",
);

/** "You have a task to …" */
const HAS_TASK =
  /(?<!\p{L})(?:there(?:['’]s| is)|you(?:['’]ve| (?:(?:now|also) )?have)(?: got)?) (?:(?:now|also) )*(?:an?|the) (?:new |open )?(?:task|to-?do) (?:to|for|about|called|named)(?!\p{L})/iu;

const TIME_NOUNS = oneOf(
  "today|tomorrow|morning|evening|afternoon|next|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day",
  "january|february|march|april|may|june|july|august|september|october|november|december|due|until",
  "before|list",
);
/** Words for days, which tell no task from another. */
const DAY_WORD = new RegExp(String.raw`^${TIME_NOUNS}$`, "u");

/** Skills that write text, which may name a thing without making a task of it. */
const WRITES = /^(?:fs_write|fs_append|fs_edit|table_edit)$/u;
const LIST_FILE = /to-?dos?|tasks?|list|aufgaben/iu;

/**
 * "The task to buy an umbrella is on your list", where no call that succeeded, no open task of the prompt, no memory and no earlier
 * answer has half of its words. What the request asks for does not show that it was done.
 */
export function unlistedTasks(text: string, evidence: PreparedEvidence): Problem[] {
  if (text.includes("?") || NEGATION.test(text) || CONDITIONAL.test(text)) return [];
  const listed = IS_LISTED.exec(text);
  const has = HAS_TASK.exec(text);
  if (!listed && !has) return [];
  const subject = listed
    ? (text
        .slice(0, listed.index)
        .split(/[,;:]\s/u)
        .at(-1) ?? "")
    : text.slice((has?.index ?? 0) + (has?.[0].length ?? 0));
  const stems = contentWords(subject)
    .filter((word) => !TASK.test(word) && !DAY_WORD.test(word))
    .map(stem);
  // How many things were recorded is counted by the rules for complete work.
  if (stems.length === 0 || ALL.test(subject)) return [];
  if (listed && !TASK.test(text) && !asksForTaskOf(stems, evidence.source.request)) return [];
  const { source } = withoutRequests(evidence);
  const shown = [
    ...evidence.calls
      .filter(({ success, tool, text: call }) => success && (!WRITES.test(tool) || LIST_FILE.test(call)))
      .flatMap((call) => call.text.split("\n")),
    ...[...source.memories, ...(source.known ?? []), ...source.conversation.map((turn) => turn.text)].flatMap(
      (known) => known.split("\n"),
    ),
  ];
  const isShown = shown.some((line) => {
    const words = new Set(significantWords(line).map(stem));
    return stems.filter((word) => words.has(word)).length * 2 >= stems.length;
  });
  return isShown ? [] : [refuted("It is said to be on the list, and no call and no known task shows it.")];
}

const CLAUSE_END = /[.,;:!?\n]+|\s(?=(?:and|then|und|dann|et|puis|y|luego)\s)/u;

/** True if a clause of the request asks for a task with one of these words, or for a task of what is said elsewhere: "make a task of it". */
const asksForTaskOf = (stems: readonly string[], request: string): boolean =>
  request
    .split(CLAUSE_END)
    .filter((clause) => TASK.test(clause))
    .some((clause) => {
      const others = contentWords(clause).filter((word) => !TASK.test(word) && !DAY_WORD.test(word));
      const things = others.filter((word) => kindOf(word, clause) === undefined && !MAKES.test(word));
      return things.length === 0 || things.some((word) => stems.includes(stem(word)));
    });

const MAKES =
  /^(?:make|set|put|add|create|save|note|please|mach|leg|setz|schreib|bitte|ajoute|crée|mets|añade|crea|pon)e?$/u;

/** "the receipt tasks", with the words that narrow them down. */
const SET_OF_TASKS =
  /(?<!\p{L})(?:all(?: of)?(?: the| your| these| those| my)?|the|your|these|those) ((?:\p{L}[\p{L}'’-]* ){1,3}?)(?:tasks|to-?dos)(?!\p{L})/iu;
const PART = /(?<!\p{L})(?:some|most|many|several|few|first|last|other|remaining|rest|part)(?!\p{L})/iu;

const SETTLED: ReadonlySet<ActionKind | undefined> = new Set<ActionKind>(["delete", "cancel"]);

/** Calls that may delete any number of tasks. */
const DOES_MANY: ReadonlySet<string> = new Set(["execute_code", "function_run", "shell_safe"]);

/** An open task of the prompt: "- <data>Buy milk (P2, due …)</data>". */
const OPEN_TASK = /^- (?:<data>)?(.+) \(P[0-3][^()]*\)/gmu;

/** "The receipt tasks are deleted", where calls deleted two of them, and the observations or the prompt show more. */
export function incompleteSets(
  text: string,
  numbers: readonly NumberMention[],
  { calls, tasks, source }: PreparedEvidence,
): Problem[] {
  const narrowing = SET_OF_TASKS.exec(text)?.[1];
  if (narrowing === undefined || numbers.length > 0 || PART.test(text)) return [];
  if (NEGATION.test(text) || CONDITIONAL.test(text) || EXCEPT.test(text)) return [];
  const kinds = text
    .toLowerCase()
    .split(/[^\p{L}-]+/u)
    .map((word) => kindOf(word, text))
    .filter((kind) => SETTLED.has(kind));
  if (
    kinds.length === 0 ||
    !(STANDS.test(text) || HAPPENED.test(text) || /(?<!\p{L})i(?!\p{L})/iu.test(text))
  )
    return [];
  const done = calls.filter((call) => isChange(call) && call.kinds.some((kind) => kinds.includes(kind)));
  if (done.length === 0 || calls.some(({ success, tool }) => success && DOES_MANY.has(tool))) return [];
  const open = [
    ...tasks.filter(({ status }) => isOpenStatus(status)).map(({ title }) => title),
    ...(source.known ?? []).flatMap((known) => [...known.matchAll(OPEN_TASK)].map(([, title = ""]) => title)),
  ];
  const words = contentWords(narrowing).map(stem);
  const left = [...new Set(open)].filter((title) => {
    const stems = new Set(significantWords(title).map(stem));
    return (
      words.length > 0 &&
      words.every((word) => stems.has(word) || stems.has(`${word}s`)) &&
      !done.some((call) => call.text.includes(title.toLowerCase()))
    );
  });
  const [first] = left;
  if (first === undefined) return [];
  const more = left.length > 1 ? ` (and ${String(left.length - 1)} more)` : "";
  return [refuted(`"${first}"${more} is one of them, and no successful call did it.`)];
}

const CHECKS = oneOf(
  "(?:all|every|its)(?: of)?(?: the| its)? (?:checks?|tests?)|(?:the|these) (?:checks|tests|verification)",
  "alle prüfungen|toutes les vérifications|todas las pruebas",
);
const PASS = oneOf(
  "pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are|was|were) (?:ok|okay|fine|green|successful)",
  "bestanden|réussi(?:e?s)?|superad[oa]s?",
);
/** "Passed all of its tests" */
const PASSES_CHECKS = String.raw`(?:pass(?:es|ed)|succeeded in) (?:all|every|the|its)(?: of (?:the|its))?(?: \p{L}+)? (?:checks?|tests?)`;
const PASSES = new RegExp(
  String.raw`(?<!\p{L})${CHECKS}(?!\p{L})[^,.;!?]{0,30}(?<!\p{L})${PASS}(?!\p{L})|(?<!\p{L})${PASSES_CHECKS}(?!\p{L})`,
  "iu",
);
const FAILS = /^ok false$/mu;
const CHECKS_FUNCTION = /^function_(?:register|curate)$/u;

/** "All its checks passed", where the last call that checked a function reports one that fails. */
export function failedChecks(text: string, { calls }: PreparedEvidence): Problem[] {
  const found = PASSES.exec(text);
  if (found === null || text.endsWith("?")) return [];
  const claim = text.slice(0, found.index + found[0].length);
  if (NEGATION.test(claim) || CONDITIONAL.test(claim)) return [];
  const last = calls.findLast(({ success, tool }) => success && CHECKS_FUNCTION.test(tool));
  return last !== undefined && FAILS.test(last.text)
    ? [refuted("Checks are said to pass, and the last call names some that fail.")]
    : [];
}
