import { asText } from "@metahuman/core/text/format";
import { wholeWords } from "@metahuman/core/text/patterns";
import { ACTION_FORMS, type ActionKind } from "./action-words.ts";
import { actionsIn, isChange } from "./action-claims.ts";
import { clausesStatedIn } from "./clauses.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { isCounted } from "./facts.ts";
import { blank, contentWords, FILE, filesIn, QUOTE, quotesIn, significantWords, stem } from "./mentions.ts";
import { textWithKeys } from "./observed-calls.ts";
import { type Problem, refuted } from "./problem.ts";
import { type NumberMention } from "./quantities.ts";
import { numbersIn } from "./table-claims.ts";
import { ADDITION, CONDITIONAL, HAPPENED, NEGATION, NOW, STANDS } from "./vocabulary.ts";

/** Claims about records, tasks, corrections and programs that were run, which the calls do not show. */
export const unshownChanges = (text: string, evidence: PreparedEvidence): Problem[] => [
  ...unmadeRecords(text, evidence),
  ...unmadeTasks(text, evidence),
  ...addedCorrections(text, evidence),
  ...unrunPrograms(text, evidence),
];

/** Calls that change something that exists. */
const UPDATES: ReadonlySet<string> = new Set(
  "fs_edit json_update task_update task_update_status schedule_update memory_remember".split(" "),
);

/**
 * "I changed the table: the vase costs 499", "the vase costs 499 now", where the request has the 499 and no call that succeeded, nothing remembered and nothing
 * said before has it: one of several changes was not made.
 */
export function unappliedFigures(
  text: string,
  numbers: readonly NumberMention[],
  { calls, source }: PreparedEvidence,
): Problem[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text)) return [];
  if (!NOW.test(text) && !actionsIn(text).some(({ isOwn, kind }) => isOwn && kind === "update")) return [];
  const done = calls.filter(isChange);
  if (!done.some(({ tool }) => UPDATES.has(tool))) return [];
  const asked = new Set(numbersIn(source.request));
  const known = new Set(
    [
      ...calls.filter(({ success }) => success).map((call) => call.text),
      ...source.conversation.map((turn) => turn.text),
      ...source.memories,
    ].flatMap(numbersIn),
  );
  return numbers
    .filter((mention) => !mention.isWord && !isCounted(mention))
    .filter(
      ({ values }) => values.some((value) => asked.has(value)) && !values.some((value) => known.has(value)),
    )
    .map(({ text: number }) =>
      refuted(
        `${number} is said to be set, and no successful call has it. Make this change, too, or say that it is missing.`,
      ),
    );
}

const RECORD = new RegExp(
  wholeWords(
    "tasks?|reminders?|files?|notes?|entry|entries|events?|appointments?|aufgaben?|erinnerung(?:en)?",
    "dateie?n?|notize?n?|termine?|eintr[aä]ge?|tâches?|rappels?|fichiers?|tareas?|recordatorios?",
    "archivos?",
  ),
  "iu",
);

const MADE: ReadonlySet<ActionKind | undefined> = new Set(["write", "schedule"]);

const TASK = /(?<!\p{L})(?:tasks?|to-?dos?|aufgaben?|tâches?|tareas?)(?!\p{L})/iu;
const MAKES_TASK = new RegExp(
  wholeWords(
    "created?|added|made|set up|angelegt|erstellt|hinzugefügt|créée?s?|ajoutée?s?|cread[oa]s?",
    "añadid[oa]s?|creado|añadido",
  ),
  "iu",
);
/** Calls that make tasks, or may make them. */
const MAY_MAKE_TASKS = /^(?:task_\w+|remind|execute_code|function_run|shell_safe|archive_restore)$/u;

/** "I created the file and the task", where calls changed something, and none that succeeded has to do with tasks. */
function unmadeTasks(text: string, { calls, source }: PreparedEvidence): Problem[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text) || text.endsWith("?")) return [];
  const isOfTask = (one: string): boolean =>
    filesIn(one).length === 0 && TASK.test(withoutMentions(one)) && MAKES_TASK.test(withoutMentions(one));
  const clause = [...clausesStatedIn(text), text].find(isOfTask);
  const plain = withoutMentions(clause ?? "");
  const word = MAKES_TASK.exec(plain)?.[0];
  if (clause === undefined || word === undefined) return [];
  const isOwn = actionsIn(text).some((action) => action.isOwn);
  if (!STANDS.test(text) && !HAPPENED.test(text) && !isOwn) return [];
  const done = calls.filter(isChange);
  const mayHaveTasks = [
    ...done.map(
      (call) => MAY_MAKE_TASKS.test(call.tool) || TASK.test(call.text) || call.text.includes("[ ]"),
    ),
    ...(source.earlierCalls ?? []).map(
      (call) => MAY_MAKE_TASKS.test(call.skill) && (!isOwn || namesMostOf(clause, textWithKeys(call.args))),
    ),
  ].includes(true);
  return done.length === 0 || mayHaveTasks || calls.some(({ tool }) => tool === "task_list")
    ? []
    : [refuted(`A task is said to be ${word}, and no successful call made one.`)];
}

const withoutMentions = (text: string): string => text.replaceAll(QUOTE, blank).replaceAll(FILE, blank);

/** True if a known text has most words of a sentence that say what was made. */
function namesMostOf(sentence: string, known: string): boolean {
  const about = contentWords(sentence).filter((word) => !ACTION_FORMS.has(word) && !TASK.test(word));
  const stems = new Set(significantWords(known).map(stem));
  return about.filter((word) => stems.has(stem(word))).length * 2 > about.length;
}

const ON_LIST_WORDS = [
  "lists?|tasks|to-?dos|tables?|calendar|liste|aufgaben|tabelle|kalender|tâches|tableau|calendrier",
  "lista|tareas|tabla|calendario",
].join("|");
const ON_LIST = new RegExp(
  String.raw`(?<!\p{L})(?:to|on|onto|in|into|zu|auf|in|à|sur|dans|a|en) (?:(?:your|the|my|our|an?|deine[rn]?|die|der|das|den|ta|la|le|ton|tu|el) )(?:\p{L}+[ -]){0,3}?(${ON_LIST_WORDS})(?!\p{L})`,
  "iu",
);

/**
 * "I also added gloves to your shopping list", where the only calls that changed something saved memories, none of which is a list, and
 * nothing said before puts it there.
 */
function unwrittenLists(text: string, { calls, source }: PreparedEvidence): Problem[] {
  const [, list] = ON_LIST.exec(text) ?? [];
  if (list === undefined || text.endsWith("?")) return [];
  const written = actionsIn(text).find(({ kind, clause }) => MADE.has(kind) && ON_LIST.test(clause));
  const done = calls.filter(isChange);
  if (written === undefined || done.some(({ tool }) => tool !== "memory_remember")) return [];
  const isKnown = [
    ...done.map((call) => call.text),
    ...source.memories,
    ...source.conversation.flatMap((turn) => (turn.role === "operator" ? [turn.text] : [])),
  ].some((known) => known.toLowerCase().includes(list.toLowerCase()) && namesMostOf(written.clause, known));
  return isKnown ? [] : [refuted(`"${written.word}" is claimed, and no successful call wrote a ${list}.`)];
}

const NAME = String.raw`\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2}`;
/** "Jonas Keller, Mei Lin and Otto" */
const NAMES = new RegExp(`(?<!\\p{L})${NAME}(?:, ${NAME})*,? (?:and|und|et|y|e|&) ${NAME}`, "gu");

/** "I added Jonas Keller (45) and Mei Lin (30)", both of the request, where calls wrote the first and nothing has the second. */
function unwrittenNames(text: string, { calls, source }: PreparedEvidence): Problem[] {
  const plain = text.replaceAll(/\s\([^()]*\)/gu, "").replaceAll(QUOTE, blank);
  if (NEGATION.test(plain) || CONDITIONAL.test(plain) || plain.endsWith("?")) return [];
  const word = actionsIn(plain).find(({ kind, isOwn }) => isOwn && MADE.has(kind))?.word;
  const done = calls.filter(isChange).map((call) => call.text);
  if (word === undefined || done.length === 0) return [];
  const known = [
    ...calls.filter(({ success }) => success).map((call) => call.text),
    ...source.conversation.flatMap((turn) => (turn.role === "operator" ? [turn.text] : [])),
    ...source.memories,
  ].map((one) => one.toLowerCase());
  const has = (texts: readonly string[], name: string): boolean =>
    texts.some((one) => one.includes(name.toLowerCase()));
  return [...plain.matchAll(NAMES)].flatMap(([list]) => {
    const names = (list.match(new RegExp(NAME, "gu")) ?? []).filter((name) =>
      has([source.request.toLowerCase()], name),
    );
    return names.some((name) => has(done, name))
      ? names
          .filter((name) => !has(known, name))
          .map((name) => refuted(`"${name}" is said to be ${word}, and no successful call has this name.`))
      : [];
  });
}

/** Tasks, files and other records that are said to be made, and lists that are said to have something new, without a call for it. */
const unmadeRecords = (text: string, evidence: PreparedEvidence): Problem[] => [
  ...unmadeTitles(text, evidence),
  ...unwrittenLists(text, evidence),
  ...unwrittenNames(text, evidence),
];

/**
 * "The task “Stocktaking Oslo” is created, too", where no call that succeeded, nothing said before and nothing observed has this
 * title, or where no call changed anything at all.
 */
function unmadeTitles(text: string, { calls, source }: PreparedEvidence): Problem[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text) || text.endsWith("?") || !RECORD.test(text)) return [];
  if (!STANDS.test(text) && !HAPPENED.test(text)) return [];
  const word = text
    .toLowerCase()
    .split(/[^\p{L}-]+/u)
    .find((one) => MADE.has(ACTION_FORMS.get(one)));
  if (word === undefined) return [];
  const titles = quotesIn(text);
  if (titles.length === 0) {
    const isNew = ADDITION.test(text) || NOW.test(text);
    return isNew && !calls.some(isChange)
      ? [refuted(`"${word}" is claimed, and no call changed anything.`)]
      : [];
  }
  const known = [
    ...calls.filter(({ success }) => success).map((call) => call.text),
    ...source.conversation.map((turn) => turn.text),
    ...source.memories,
    ...(source.known ?? []),
  ]
    .join("\n")
    .toLowerCase();
  return titles
    .filter((title) => !known.includes(title.toLowerCase().replace(/[.,!?]+$/u, "")))
    .map((title) => refuted(`"${title}" is said to be made ("${word}"), and no successful call made it.`));
}

const PASSES: readonly string[] = [
  String.raw`(?:tests?|test suite|specs?|build|type ?check|linter) (?:(?:is|are|has|have|now|all|both|also|again|should|suite|run|runs|ran) ){0,3}(?:pass(?:es|ed|ing)?|succeeds?|succeeded|green)`,
  String.raw`(?:code|script|program|project|it) (?:now )?(?:compiles|builds (?:cleanly|without)|runs without errors?)`,
  "tests? (?:laufen|läuft|besteht|bestehen|sind|ist) (?:(?:jetzt|nun|wieder|alle|erfolgreich) )*(?:durch|grün|bestanden|erfolgreich)",
  "tests? (?:passent?|réussissent|réussit)",
  "(?:pruebas?|tests?) (?:pasan?|funcionan)",
];
/** "The tests pass now", "the build succeeded", "it compiles": what only a program that ran can show. */
const RAN = new RegExp(wholeWords(...PASSES), "iu");
/** What may come, or was not tried. */
const NOT_YET =
  /(?<!\p{L})(?:should|will|would|may|might|could|once|until|so that|to see|sollten?|devraient?|debería[ns]?)(?!\p{L})/iu;
const RUNS_PROGRAMS = /^(?:shell_safe|execute_code|function_\w+)$/u;

/** "The test passes now", if nothing was run and no evidence shows it. */
function unrunPrograms(text: string, { calls, source, observedText }: PreparedEvidence): Problem[] {
  if (NEGATION.test(text) || CONDITIONAL.test(text) || NOT_YET.test(text) || text.endsWith("?")) return [];
  const claim = RAN.exec(withoutMentions(text))?.[0];
  if (claim === undefined) return [];
  const hasRun =
    calls.some(({ success, tool }) => success && RUNS_PROGRAMS.test(tool)) ||
    (source.earlierCalls ?? []).some(({ skill, outputs }) => outputs && RUNS_PROGRAMS.test(skill));
  const texts = [
    source.request,
    observedText,
    ...source.memories,
    ...source.conversation.filter(({ role }) => role === "person").map((turn) => turn.text),
  ];
  return hasRun || texts.some((one) => RAN.test(one))
    ? []
    : [refuted(`“${claim}” is stated, and no program was run. Run it, or say that it was not run.`)];
}

const CORRECTS =
  /(?<!\p{L})(?:corrected|replaced|overwrote|overwritten|berichtigt|korrigiert|ersetzt|corrigée?s?|remplacée?s?|corregid[oa]s?|reemplazad[oa]s?)(?!\p{L})/iu;
const ADDS =
  /(?<!\p{L})(?:add(?:ed|ing)?|append(?:ed|ing)?|missing|below|another|new line|at the end|hinzugefügt|ergänzt|angehängt|fehlend\p{L}*|ajoutée?s?|manquante?s?|añadid[oa]s?|falta\p{L}*)(?!\p{L})/iu;

/** "I corrected it in trip.md", where the calls on the file only added text: what was wrong is still in it. */
function addedCorrections(text: string, { source: { scratchpad } }: PreparedEvidence): Problem[] {
  if (!CORRECTS.test(text) || [NEGATION, CONDITIONAL, ADDS].some((one) => one.test(text))) return [];
  return filesIn(text).flatMap((file) => {
    const changes = scratchpad.filter(
      ({ action, observation }) =>
        observation?.success === true &&
        action?.tool !== "fs_read" &&
        asText(observation.outputs?.["path"] ?? "")
          .toLowerCase()
          .endsWith(file.toLowerCase()),
    );
    const onlyAdds =
      changes.length > 0 &&
      changes.every(
        ({ action, observation }) =>
          action?.tool === "fs_append" && observation?.outputs?.["created"] === false,
      );
    return onlyAdds
      ? [
          refuted(
            `${file} is said to be corrected, and text was only added to it: what was wrong may still be in it. Change it there, or say that a line was added.`,
          ),
        ]
      : [];
  });
}
