import { listMarkLength } from "@metahuman/core/text/list-marks";
import { ACTION_FORMS, type ActionKind, kindOf, NO_ACTION, splitWords } from "./action-words.ts";
import { CLAUSE, clausesStatedIn } from "./clauses.ts";
import { isKnownDay } from "./day-claims.ts";
import { isObserved, type PreparedEvidence } from "./evidence.ts";
import { type ObservedCall } from "./observed-calls.ts";
import { FILE, QUOTE, blank, contentWords, filesIn, quotesIn, stem, significantWords } from "./mentions.ts";
import { isQuotationKnown } from "./name-claims.ts";
import { isMovedInstead, openFailures } from "./open-failures.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { quantitiesIn } from "./quantities.ts";
import {
  ALL,
  ASKS_WHETHER_SENT,
  BEFORE,
  CONDITIONAL,
  EXCEPT,
  FIRST_PERSON,
  HAPPENED,
  NEGATION,
  NOW,
  OWN_THINGS,
  RECURRENCE,
  SECOND_PERSON,
  SENT,
  STANDS,
} from "./vocabulary.ts";

interface Action {
  word: string;
  /** `undefined` for an action of the operator whose verb is in no list. */
  kind: ActionKind | undefined;
  clause: string;
  /** True when the operator is its subject: "I saved it", "Saved to…". */
  isOwn: boolean;
}

/** "I let Lee know", which reports like "informed"; "let me know" asks, and "I will let her know" promises. */
const LET_KNOW = /(?<!\p{L})let (?!me |us |you )(\p{L}+(?: \p{L}+)?) know(?!\p{L})/giu;

/** "… and sent you a copy": the person is the object of the verb that opens the clause. */
const TO_YOU = /^\W*(?:(?:and|then|also|but|et|y|e) )*\p{L}+ (?:you|vous)(?! \p{L}+ed(?!\p{L}))(?!\p{L})/iu;

/** "… and noted that you are going": what follows is the content of the action. */
const THAT = /\s(?:that|dass|que)\s.*$/isu;

/** The auxiliary of a German perfect with the operator as its subject. */
const PERFECT =
  /(?<!\p{L})(?:(?:ich|wir) (?:habe?n?|hatten?)|(?:habe|haben|hatten?) (?:ich|wir)|hab['’]? ich)(?!\p{L})/iu;

/** "Noted." acknowledges what was said. */
const ACKNOWLEDGES =
  /^[\s*_]*(?:(?:ok|okay|alright|sure|duly|gut|bien|vale)[,.! ]+)*(?:noted|notiert|vermerkt|noté|anotado)[\s.!*_]*$/iu;

/** The actions that a sentence claims to have happened. */
export function actionsIn(sentence: string): Action[] {
  if (ACKNOWLEDGES.test(sentence)) return [];
  const actions: Action[] = [];
  const unquoted = sentence
    .replaceAll(QUOTE, blank)
    .replaceAll(FILE, blank)
    .replaceAll(LET_KNOW, (all, whom: string) => `informed ${whom}`.padEnd(all.length).slice(0, all.length));
  let isOwn = false;
  let isConditional = false;
  let isDenied = false;
  let awaitsParticiple = false;
  let from = 0;
  const cuts = [...unquoted.matchAll(CLAUSE)].map((match) => match.index + match[0].length);
  for (const to of [...cuts, unquoted.length]) {
    const clause = unquoted.slice(from, to);
    const shownClause = sentence.slice(from, to);
    from = to;
    const first = firstWord(clause);
    const hasOwnSubject = FIRST_PERSON.test(clause);
    // "…, filed it and deleted the draft" keeps the subject of the previous clause.
    const isContinued = first !== undefined && ACTION_FORMS.has(first);
    const hasOtherSubject =
      SECOND_PERSON.test(clause.replace(THAT, "")) && !hasOwnSubject && !(isContinued && TO_YOU.test(clause));
    isOwn = hasOwnSubject || (isOwn && !hasOtherSubject);
    const startsAnew = hasOwnSubject || hasOtherSubject || !isContinued;
    isConditional = CONDITIONAL.test(clause) || (isConditional && !startsAnew);
    isDenied = NEGATION.test(clause) || (isDenied && !startsAnew);
    // "Ich habe die Aufgabe bis Dienstag, 1. Dezember, angelegt": the participle ends the sentence.
    const isFinal: boolean = awaitsParticiple && !hasOwnSubject && !hasOtherSubject;
    awaitsParticiple = (hasOwnSubject && PERFECT.test(clause)) || isFinal;
    if (isConditional || isDenied || hasOtherSubject) continue;
    for (const word of clause.toLowerCase().split(/[^\p{L}-]+/u)) {
      const kind = kindOf(word, clause);
      if (kind === undefined) {
        if (hasOwnSubject && isOwnAction(word, clause))
          actions.push({ word, kind, clause: shownClause, isOwn: true });
        continue;
      }
      if ((word === "called" && CALLED_NAME.test(clause)) || (word === "set" && SET_NOUN.test(clause)))
        continue;
      const isLeadingVerb = actions.length === 0 && isAtStart(unquoted, word);
      const isLast =
        isFinal &&
        clause
          .toLowerCase()
          .replace(/[^\p{L}]+$/u, "")
          .endsWith(word);
      const hasOperator = isOwn && (hasOwnSubject || isContinued || isLast);
      // Art is drawn and painted by others; a text that follows may itself be a drawing.
      if (kind === "draw" && (!hasOperator || SHOWS_DRAWING.test(sentence))) continue;
      const claims =
        isLeadingVerb ||
        word === "went" ||
        hasOperator ||
        HAPPENED.test(clause) ||
        (STANDS.test(clause) &&
          (REPORTED_BY_STATE.has(kind) ||
            (ALL.test(clause) && kind === "write") ||
            (NOW.test(clause) && (kind === "order" || kind === "cancel" || kind === "update"))));
      if (
        claims &&
        !isAttribute(clause, word) &&
        !(/(?:last|zuletzt|dernière|última|originally|first)\s/iu.test(clause) && !hasOwnSubject)
      )
        actions.push({
          word,
          kind,
          clause: shownClause,
          // In a list, "Moved to the attic" may describe the item.
          isOwn: hasOperator || (isLeadingVerb && listMarkLength(sentence) === 0),
        });
    }
  }
  return actions;
}

/** "I've lowered them": a past action, except verbs of thinking, reading and writing an answer. */
const isOwnAction = (word: string, clause: string): boolean =>
  /^\p{L}{3,}[^e]ed$/u.test(word) &&
  new RegExp(
    `(?<!\\p{L})(?:i(?:['’]ve| have)?|we(?:['’]ve| have)?)(?: (?:also|just|already|then|now))? ${word}(?!\\p{L})`,
    "iu",
  ).test(clause) &&
  !NO_ACTION.test(word);

/** "I drew it in ASCII", "Here is the tree that I drew:", with the drawing in the answer. */
const SHOWS_DRAWING =
  /:\W*$|(?<!\p{L})(?:ascii|text|emojis?|characters|here|below|above|mermaid|diagram|chart)(?!\p{L})/iu;

/** The noun "set". */
const SET_NOUN =
  /(?:['’]s|(?<!\p{L})(?:the|a|an|your|my|this|first|second|all|data)) set(?!\p{L})|^\W*all set/iu;

/** "The folder is called x" states a name, not a call. */
const CALLED_NAME = /(?<!\p{L})(?:is|are|['’]s|['’]re|was|were) (?:now |still |also )?called(?!\p{L})/iu;

/** "It is deleted" reports an action; "it is saved there" may describe a place. */
const REPORTED_BY_STATE: ReadonlySet<ActionKind> = new Set(["delete", "move", "send", "call", "publish"]);

const firstWord = (clause: string): string | undefined =>
  clause
    .toLowerCase()
    .split(/[^\p{L}-]+/u)
    .find(
      (word) =>
        word !== "" &&
        !/^(?:and|und|et|y|e|then|dann|puis|also|auch|aussi|también|luego|but|aber)$/u.test(word),
    );

/** "Saved to…", "Done: deleted…", "- Renamed…" */
const isAtStart = (sentence: string, word: string): boolean =>
  new RegExp(
    `^[\\s*_\\-•\\d.)✅✔️☑]*(?:(?:done|ok|okay|sure|successfully|erledigt|fertig|erfolgreich|fait|hecho|listo|also|then)[\\s,:.!–—-]*)*${word}(?![\\p{L}])`,
    "iu",
  ).test(sentence);

/** "the deleted file", "your saved notes": the participle is an attribute. */
const isAttribute = (clause: string, word: string): boolean =>
  new RegExp(
    `(?<!\\p{L})(?:the|a|an|your|my|recently|newly|last|any|more|der|die|das|den|dem|deine?n?|les?|la|el|los|las)\\s+${word}\\s+\\p{L}`,
    "iu",
  ).test(clause) && !HAPPENED.test(clause);

/**
 * Actions of the operator are refuted, because each would be a call; what others did is only doubted. `cited` are the steps that the
 * sentence cites.
 */
export function unsupportedActions(
  text: string,
  evidence: PreparedEvidence,
  cited: readonly number[] = [],
): Problem[] {
  const observed = evidence.source.scratchpad.filter(isObserved);
  const citedCalls = evidence.calls.filter((_, index) => cited.includes(observed[index]?.step ?? 0));
  const actions = actionsIn(text);
  const unsupported = actions.flatMap(({ word, kind, clause, isOwn }) => {
    if (kind === undefined)
      return evidence.calls.some(isChange) ? [] : [refuted(`"${word}" is claimed, and nothing was done.`)];
    const isNew = isOwn && evidence.calls.some(isChange) && !BEFORE.test(text);
    if (isSupportedAction(kind, clause, evidence, { cited: citedCalls, isNew }) || isReported(text, evidence))
      return [];
    if (isRecordedInstead(kind, clause, evidence) || isKnownAside(word, clause, evidence)) return [];
    const problem = `"${word}" is claimed, and no successful call shows it.`;
    return [isOwn || hasOnlyFailed(kind, evidence) ? refuted(problem) : doubted(problem)];
  });
  return [...unsupported, ...unchangedTasks(text, actions, evidence)];
}

/** "I added Jonas (paid 45 yesterday)": what the person said about it, in parentheses after it. */
function isKnownAside(word: string, clause: string, { source }: PreparedEvidence): boolean {
  const asides = clause.match(/\([^()]*\)/gu) ?? [];
  return (
    asides.some((aside) => !FIRST_PERSON.test(aside) && significantWords(aside).includes(word)) &&
    significantWords(source.request).map(stem).includes(stem(word))
  );
}

/** Actions outside this machine that a request orders in one word: "book me a table". */
const ORDERS: ReadonlyMap<string, ActionKind> = new Map(
  (
    [
      ["order", "book reserve order buy purchase pay renew buche reserviere bestelle kaufe bezahle"],
      ["cancel", "cancel storniere"],
      ["send", "send email e-mail mail forward text notify inform sende schicke maile"],
      ["call", "call phone ring"],
      ["publish", "post publish share upload"],
    ] as const
  ).flatMap(([kind, list]) => splitWords(list).map((word): [string, ActionKind] => [word, kind])),
);
const ORDERED =
  /(?<=^|[.!?;,:]\s{1,8}|(?<!\p{L})(?:and|then|please|(?:can|could|will|would) you|und|bitte|dann)\s{1,8})\p{L}[\p{L}-]*/giu;
/** "Most tables are booked on Saturdays." */
const OF_MANY = /^\W*(?:most|many|some|few|other|several|die meisten|viele|einige)(?!\p{L})/iu;

/** "I got you a table", "I've got a room for you": the thing is named by the words after the determiner. */
const GOT_FOR_YOU =
  /(?<!\p{L})(?:got|gotten|found and got) (?:(?:for )?you (?:an?|the|your|one|two|\d+) ([^,.;:!?]+)|(?:an?|the|your|one|two|\d+) ([^,.;:!?]+?) for you(?!\p{L}))/iu;

/**
 * Problems with sentences that present an order of the request as done, although no call did it: "Your table is
 * reserved."
 */
export function undoneOrders(text: string, evidence: PreparedEvidence): Problem[] {
  const { request } = evidence.source;
  const ordered = [
    ...[...request.matchAll(ORDERED)].map(([word]) => ORDERS.get(word.toLowerCase())),
    ...(ASKS_WHETHER_SENT.test(request) ? ["send" as const] : []),
  ];
  if (ordered.every((kind) => kind === undefined)) return [];
  return clausesStatedIn(text).flatMap((clause) => {
    if (OF_MANY.test(clause) || CONDITIONAL.test(clause)) return [];
    const isState = STANDS.test(clause) || HAPPENED.test(clause);
    const actionWords = (isState ? clause.toLowerCase().split(/[^\p{L}-]+/u) : [])
      .filter((word) => !isDenied(clause, word))
      .map((word) => ({ word, kind: kindOf(word, clause) }));
    const sent = NEGATION.test(clause) ? undefined : SENT.exec(clause)?.[0];
    if (sent !== undefined) actionWords.push({ word: sent, kind: "send" });
    const [, thing, thingFor] = GOT_FOR_YOU.exec(clause) ?? [];
    if (isNamedIn(request, thing ?? thingFor ?? "") && !NEGATION.test(clause))
      actionWords.push({ word: "got", kind: ordered.find((kind) => kind !== undefined) });
    return actionWords.flatMap(({ word, kind }) =>
      kind !== undefined &&
      ordered.includes(kind) &&
      !isSupportedAction(kind, clause, evidence) &&
      !isRecordedInstead(kind, clause, evidence)
        ? [refuted(`"${word}" is claimed, and no successful call shows it.`)]
        : [],
    );
  });
}

const RECORD =
  "(?:tasks?|to-?dos?|reminders?|calendar|notes?|lists?|lines?|files?|entry|entries|aufgaben?|notiz|liste|tâche|tarea)";
/** "I booked it as a task", "I ordered it in your list". */
const AS_RECORD = new RegExp(
  `(?<!\\p{L})(?:as|in|into|on|to|with|als|in|comme|como) (?:an? |the |your |my |einer? |eine |deine[rn]? |une |una )?${RECORD}(?!\\p{L})`,
  "iu",
);
/** "book Luna in for a bath: a task for it and a line in grooming.md": the request explains its verb. */
const ASKS_FOR_RECORD = new RegExp(
  `^\\W*(?:please )?(?:book|order|reserve|buy|pay|call|renew|buche|bestelle|reserviere)(?!\\p{L})[^:]*:\\s*(?:an? |one |eine? )?(?:new )?${RECORD}(?!\\p{L})`,
  "iu",
);

/**
 * True when the sentence or the request says that the action is recorded as a task, a note or a line, and a call
 * recorded the same thing. The verb is then the person's own word.
 */
function isRecordedInstead(kind: ActionKind, clause: string, evidence: PreparedEvidence): boolean {
  if (kind !== "order" && kind !== "cancel" && kind !== "call") return false;
  if (!AS_RECORD.test(clause) && !ASKS_FOR_RECORD.test(evidence.source.request)) return false;
  const done = evidence.calls.filter(isChange);
  const about = contentWords(clause)
    .filter((word) => !ACTION_FORMS.has(word))
    .map(stem);
  const known = new Set(done.flatMap(({ text }) => significantWords(text).map(stem)));
  return done.length > 0 && (about.length === 0 || about.some((word) => known.has(word)));
}

/** True when the first content word of a phrase is in the request. */
function isNamedIn(request: string, phrase: string): boolean {
  const [first] = contentWords(phrase);
  return first !== undefined && contentWords(request).map(stem).includes(stem(first));
}

/** "No" and "without" deny their noun only: "reserved at no cost", "paid without a fee". */
const DENIES_A_NOUN =
  /(?<!\p{L})(?:(?:at|for|with) no (?!time|point|moment|stage)|without |ohne |sans |sin )\p{L}+(?: \p{L}+)?/giu;

/** True if the clause denies the action: a negation before its verb, or "nothing" or "nobody" anywhere. */
function isDenied(clause: string, word: string): boolean {
  const index = clause.toLowerCase().lastIndexOf(word);
  const before = clause.slice(0, index).replaceAll(DENIES_A_NOUN, " ");
  return NEGATION.test(before) || DENIES_ALL.test(clause);
}

const DENIES_ALL =
  /(?<!\p{L})(?:nothing|nobody|no one|none|nowhere|neither|nichts|niemand|nirgends|rien|personne|nada|nadie)(?!\p{L})/iu;

const CHANGES: ReadonlySet<ActionKind | undefined> = new Set(["update", "move", "delete"]);

/** "I moved “Trash” and “Book the hotel”", although a call changed only one of these tasks. */
function unchangedTasks(
  text: string,
  actions: readonly Action[],
  { calls, tasks }: PreparedEvidence,
): Problem[] {
  const claimed = actions.filter(({ kind, isOwn }) => isOwn && CHANGES.has(kind));
  const done = calls.filter(
    (call) => call.success && claimed.some(({ kind }) => kind && canShow(kind, call)),
  );
  if (done.length === 0 || claimed.length < actions.length || EXCEPT.test(text) || NEGATION.test(text))
    return [];
  const titles = new Set(tasks.map(({ title }) => title.toLowerCase()));
  return quotesIn(text)
    .filter((title) => titles.has(title.toLowerCase()))
    .filter((title) => !done.some((call) => call.text.includes(title.toLowerCase())))
    .map((title) => refuted(`"${title}" is said to be changed, and no successful call changed it.`));
}

/** True when calls for this kind of action were made, and none of them succeeded. */
function hasOnlyFailed(kind: ActionKind, { calls }: PreparedEvidence): boolean {
  const able = calls.filter((call) => canShow(kind, call));
  return able.length > 0 && able.every(({ success }) => !success);
}

/** "The launch was postponed to 3 December" when an observed text mentions the launch and that day. */
function isReported(text: string, evidence: PreparedEvidence): boolean {
  if (FIRST_PERSON.test(text) || OWN_THINGS.test(text) || filesIn(text).length > 0) return false;
  if (!/(?<!\p{L})(?:was|were|wurden?|a été|ont été|fue|fueron)(?!\p{L})/iu.test(text)) return false;
  const words = contentWords(text).filter((word) => !ACTION_FORMS.has(word));
  const known = words.filter((word) => evidence.observedStems.has(stem(word)));
  const { days, times } = quantitiesIn(text);
  const isDated =
    days.some((day) => isKnownDay(day, evidence.facts)) ||
    times.some(({ minutes }) => evidence.facts.times.has(minutes));
  return (
    isDated &&
    known.length > 0 &&
    evidence.calls.some(({ kinds }) => kinds.includes("look") || kinds.length === 0)
  );
}

/** True for a successful call that did more than read. */
export const isChange = ({ success, kinds }: ObservedCall): boolean =>
  success && kinds.some((kind) => kind !== "look");

/** The skill that lists what was done before: "Today we changed two files". */
const LISTS_ACTIONS = "activity_list";

/** Words before a file that is the source of an action, not its object. */
const SOURCE =
  /(?:of|from|in|based on|using|with|about|aus|von|vom|basierend auf|zu|de|du|d['’]après|sur|desde|sobre)\s+["'`*_]*$/iu;

function isSupportedAction(
  kind: ActionKind,
  clause: string,
  evidence: PreparedEvidence,
  { cited = [], isNew = false }: { cited?: readonly ObservedCall[]; isNew?: boolean } = {},
): boolean {
  const named = filesIn(clause);
  const objects = named.filter(
    (file) => named.length === 1 || !SOURCE.test(clause.slice(0, clause.indexOf(file))),
  );
  const titles = quotesIn(clause);
  const able = evidence.calls.filter((call) => canShow(kind, call));
  const done = able.filter((call) => call.success && !isMovedInstead(kind, call, evidence));
  if (done.length > 0) {
    const shows = (what: string): boolean => done.some(({ text }) => text.includes(what.toLowerCase()));
    const isWhole =
      ALL.test(clause.replaceAll(RECURRENCE, " ")) &&
      !EXCEPT.test(clause) &&
      kind !== "look" &&
      openFailures(evidence).some((call) => canShow(kind, call));
    if (isWhole || (kind === "update" && isOnlyCreated(done, able))) return false;
    const isAbout =
      objects.length + titles.length > 0 ||
      done.some((call) => cited.includes(call)) ||
      concernsCall(clause, done, evidence);
    if (
      isAbout &&
      objects.every((file) => shows(file) || shows(file.split("/").at(-1) ?? file)) &&
      titles.every((title) => shows(title) || isQuotationKnown(title, evidence))
    )
      return true;
  }
  const about = contentWords(clause)
    .filter((word) => !ACTION_FORMS.has(word))
    .map(stem);
  const histories = evidence.calls.filter(({ success, tool }) => success && tool === LISTS_ACTIONS);
  if (isNew && histories.length === 0) return false;
  return evidence.reports(kind).some((report) => {
    if (objects.length > 0) return objects.every((file) => report.includes(file.toLowerCase()));
    if (histories.some(({ text }) => text.includes(report.trim()))) return true;
    const known = new Set(significantWords(report).map(stem));
    return about.length === 0 || about.some((word) => known.has(word));
  });
}

/** True when nothing that existed was changed: every call for it failed, and the others created something new. */
const isOnlyCreated = (done: readonly ObservedCall[], able: readonly ObservedCall[]): boolean =>
  able.length > done.length && done.every(({ text }) => /^created true$/mu.test(text));

/** "Noted that …": what follows is what the call must have stored. */
const NOTED_THAT =
  /(?<!\p{L})(?:noted|remembered|saved|recorded|notiert|gemerkt|noté|enregistré|anotado|guardado)(?: it)?,? (?:down )?(?:that|dass|que)(?!\p{L})/iu;

/**
 * True when a claim without a name shares a word with a call or the request; with a call, where the claim says what was
 * noted.
 */
function concernsCall(clause: string, done: readonly ObservedCall[], { source }: PreparedEvidence): boolean {
  const about = contentWords(clause).filter((word) => !ACTION_FORMS.has(word) && !OWN_THINGS.test(word));
  const requests = NOTED_THAT.test(clause) ? [] : [source.request];
  const known = new Set(
    significantWords([...requests, ...done.map(({ text }) => text)].join("\n")).map(stem),
  );
  return about.length < 2 || about.some((word) => known.has(stem(word)));
}

/** Any call supports the claim that something was looked up. */
function canShow(kind: ActionKind, call: ObservedCall): boolean {
  if (call.kinds.includes(kind)) return true;
  return kind === "look" && call.tool !== "";
}
