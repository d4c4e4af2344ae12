import { oneOf, wholeWords } from "@metahuman/core/text/patterns";
import { actionsIn, isChange } from "./action-claims.ts";
import { type PreparedEvidence } from "./evidence.ts";
import { type ObservedCall } from "./observed-calls.ts";
import { omittedItems } from "./list-items.ts";
import { filesIn, significantWords } from "./mentions.ts";
import { type QuantifiedSentence } from "./number-arithmetic.ts";
import { isCalendarName, type NumberMention } from "./quantities.ts";
import { doubted, type Problem, refuted } from "./problem.ts";
import { ALL, BARE_DONE, BEFORE, CONDITIONAL, EXCEPT, HAPPENED, NEGATION, STANDS } from "./vocabulary.ts";

/** Skills that count files, not the tasks or letters that a text mentions. */
const LISTS_FILES = /^fs_(?:list|search)$/u;

const FILES = /^\s*(?:\p{L}+\s+){0,1}(?:files|photos|documents|dateien|fichiers|archivos|filer)(?!\p{L})/iu;

/** A kind of records: its nouns, the skills of which each successful call makes or changes one, and the skills that count them. */
interface RecordKind {
  noun: RegExp;
  tools: ReadonlySet<string>;
  lists: RegExp;
}

const RECORDS: readonly RecordKind[] = [
  {
    noun: /^\s*(?:\p{L}+\s+){0,1}(?:tasks|to-?dos|aufgaben|tâches|tareas|uppgifter)(?!\p{L})/iu,
    tools: new Set(["task_create", "task_update", "task_update_status", "task_delete"]),
    lists: /^task_(?:list|find)$/u,
  },
  {
    noun: /^\s*(?:\p{L}+\s+){0,1}(?:reminders|erinnerungen|rappels|recordatorios|påminnelser)(?!\p{L})/iu,
    tools: new Set(["remind", "schedule_create", "schedule_update", "schedule_delete"]),
    lists: /^schedule_list$/u,
  },
  {
    noun: FILES,
    tools: new Set(["fs_write", "fs_copy", "fs_move", "fs_delete"]),
    lists: LISTS_FILES,
  },
];

const TEXTS_WORDS = oneOf(
  "letters|e-?mails|mails|messages|drafts|notes|reports|summaries|briefe|notizen|lettres|cartas|notas",
  "brev",
);
/** Texts of which each is usually a file of its own, though one file may hold several. */
const TEXTS = new RegExp(String.raw`^\s*(?:\p{L}+\s+){0,1}${TEXTS_WORDS}(?!\p{L})`, "iu");
/** "a letter to each of your three tenants", before the number */
const EACH_OF =
  /(?<!\p{L})(?:each of|every one of|jede[nrms]? (?:de[rn]|deine[rn])|chacune? de|cada un[oa] de)(?: \p{L}+){0,2}\s$/iu;
const WRITES: ReadonlySet<string> = new Set(["fs_write"]);

const LISTS = /_(?:list|find|search|read)$/u;

/** Calls that may do any number of things. */
const DO_MANY: ReadonlySet<string> = new Set(
  "execute_code function_run shell_safe archive_restore".split(" "),
);

/**
 * "All 12 tasks are created", where 10 calls created one each; "I read a.md and b.md", where one was opened; and "All of it is done", where a list in the request has items that no call
 * has.
 */
export function incompleteWork(
  text: string,
  numbers: readonly NumberMention[],
  evidence: PreparedEvidence,
): Problem[] {
  const { calls, source } = evidence;
  const unread = unreadTexts(text, numbers, evidence);
  if (unread.length > 0) return unread;
  const done = calls.filter(isChange);
  if (done.length === 0 || done.some(({ tool }) => DO_MANY.has(tool))) return [];
  if (NEGATION.test(text) || CONDITIONAL.test(text) || EXCEPT.test(text)) return [];
  const isClaim = STANDS.test(text) || HAPPENED.test(text) || actionsIn(text).length > 0;
  const miscounted = isClaim
    ? numbers.flatMap((mention) => wrongCounts(mention, { text, numbers }, done, evidence))
    : [];
  if (miscounted.length > 0) return miscounted;
  const missed = isClaim ? oneOfBoth(text, done, evidence) : [];
  if (missed.length > 0) return missed;
  const untouched = [...untouchedFiles(text, evidence), ...unservedNames(text, done, evidence)];
  if (untouched.length > 0) return untouched;
  if (!BARE_DONE.test(text) && !(ALL.test(text) && isClaim)) return [];
  const omitted = omittedItems(
    source.request,
    calls.filter(({ success }) => success),
  );
  return omitted.length === 0
    ? []
    : [refuted(`All of it is said to be done, and no call did: ${omitted.join("; ")}.`)];
}

/** "I saved it in out/a.md and out/b.md", both named in the request, where calls changed the first and none has the second. */
function untouchedFiles(text: string, { calls, source }: PreparedEvidence): Problem[] {
  const actions = actionsIn(text);
  const isClaim = actions.length > 0 && actions.every(({ isOwn, kind }) => isOwn && kind !== "look");
  if (!isClaim || BEFORE.test(text)) return [];
  const request = source.request.toLowerCase();
  const known = calls.filter(({ success }) => success);
  return filesIn(text)
    .filter((file) => request.includes(file.toLowerCase()))
    .filter((file) => !known.some((call) => call.text.includes(file.toLowerCase())))
    .map((file) => refuted(`${file} is said to be changed, and no successful call has it.`));
}

/** What something is made for: "a letter each for Omar and Pia" */
const MADE_FOR = /(?:(?<!\p{L})(?:for|to|of|für|an|von|pour|de|à|para|a)|:)\s+(?:both\s+|beide\s+)?$/iu;

/** "I wrote a letter each for Omar and Pia", both known, where a change has the first, and none has the second. */
function unservedNames(
  text: string,
  done: readonly ObservedCall[],
  { source, text: known }: PreparedEvidence,
): Problem[] {
  const actions = actionsIn(text);
  if (actions.length === 0 || BEFORE.test(text)) return [];
  if (!actions.every(({ isOwn, kind }) => isOwn && kind === "write")) return [];
  const served = new Set(
    significantWords([...done.map((call) => call.text), source.earlierResults ?? ""].join("\n")),
  );
  const judge = source.conversation.length > 0 ? doubted : refuted;
  for (const { 0: names, index } of text.matchAll(NAMES)) {
    if (!MADE_FOR.test(text.slice(0, index))) continue;
    const parts = names.split(BETWEEN_NAMES).map((name) => name.replace(/[.]+$/u, ""));
    const isServed = (name: string): boolean => significantWords(name).some((word) => served.has(word));
    const left = parts.filter((name) => !isServed(name));
    const areNames = left.every((name) => known.includes(name.toLowerCase()) && !isCalendarName(name));
    if (left.length > 0 && left.length < parts.length && areNames)
      return [judge(`Said to be done, and no call did anything about it: ${left.join(", ")}.`)];
  }
  return [];
}

function wrongCounts(
  { after, start, values, text: number }: NumberMention,
  { text, numbers }: QuantifiedSentence,
  done: readonly ObservedCall[],
  { calls, source }: PreparedEvidence,
): Problem[] {
  const actions = actionsIn(text);
  const records = RECORDS.find(({ noun }) => noun.test(after));
  const isForEach = EACH_OF.test(text.slice(0, start));
  const tools = records?.tools ?? (isForEach || TEXTS.test(after) ? WRITES : undefined);
  if (tools === undefined || actions.length === 0) return [];
  // A count that was listed, or said before, is not the count of these calls.
  const lists = records?.lists ?? LISTS_FILES;
  if (!isForEach && calls.some(({ success, tool }) => success && lists.test(tool))) return [];
  const made = done.filter(({ tool }) => tools.has(tool));
  const kinds = new Set(actions.map(({ kind }) => kind));
  const relevant = made.filter((call) => call.kinds.some((kind) => kinds.has(kind)));
  const claimed = Math.max(...values);
  const fewest = records === undefined ? 2 : 1;
  if (relevant.length < fewest || claimed <= relevant.length || start > MAX_START) return [];
  // "I created two of the three tasks."
  if (numbers.some((other) => other.values.includes(relevant.length))) return [];
  const problem = `${number} are said to be done, and ${String(relevant.length)} ${relevant.length === 1 ? "call did one" : "calls did one each"}.`;
  return [source.conversation.length > 0 ? doubted(problem) : refuted(problem)];
}

const BOTH = /(?<!\p{L})(?:both|beide[ns]?|les deux|ambos|ambas|båda)(?!\p{L})/iu;
/** Words for a list of records in a sentence that counts something else: "both points are on your task list". */
const RECORD_LISTS: readonly (readonly [words: RegExp, tools: RegExp, lists: RegExp | undefined])[] = [
  [
    /(?<!\p{L})(?:tasks?|to-?dos?|aufgaben(?:liste)?|tâches|tareas|uppgifter)(?!\p{L})/iu,
    /^task_create$/u,
    /^task_/u,
  ],
  [
    /(?<!\p{L})(?:reminders?|erinnerungen|rappels|recordatorios|påminnelser)(?!\p{L})/iu,
    /^remind$/u,
    /^schedule_/u,
  ],
  [
    /(?<!\p{L})(?:beide[ns]?|both|les deux|amb[oa]s|båda)(?: \p{L}+)? (?:files|lists|documents|photos|letters|dateien|listen|fichiers|listes|archivos|filer)(?!\p{L})/iu,
    /^fs_(?:move|copy|delete)$/u,
    undefined,
  ],
];
/** One record may hold both: "both are in one task". */
const IN_ONE =
  /(?<!\p{L})(?:an?|one|single|the|einer?|un|une|una|en) (?:task|to-?do|reminder|aufgabe|erinnerung|tâche|tarea)(?!\p{L})(?! list)/iu;

/** "Both points are on your task list", where one call created one task. */
function oneOfBoth(
  text: string,
  done: readonly ObservedCall[],
  { calls, source }: PreparedEvidence,
): Problem[] {
  if (!BOTH.test(text) || IN_ONE.test(text)) return [];
  const problems = RECORD_LISTS.flatMap(([words, tools, lists]) => {
    const made = done.filter(({ tool }) => tools.test(tool));
    const [only] = made;
    const isKnown = calls.some(
      (call) => call.success && lists?.test(call.tool) === true && LISTS.test(call.tool),
    );
    if (!words.test(text) || isKnown || made.length !== 1 || only === undefined) return [];
    // A folder holds several files.
    if (lists === undefined && !/\.\p{L}\w{0,4}$/mu.test(only.text)) return [];
    const holdsSeveral = /,| and | und | et | y | och |&/iu.test(only.text);
    return holdsSeveral ? [] : ["Both are said to be done, and 1 call did one."];
  });
  return problems.map((problem) => (source.conversation.length > 0 ? doubted(problem) : refuted(problem)));
}

/** A number far from the start of a sentence rarely counts what was done; in characters. */
const MAX_START = 60;

/** "I read", "I've gone through", "ich habe … gelesen": what the operator claims to know from a text. */
const OWN_READING = new RegExp(
  wholeWords(
    "(?:i|we)(?:['’]ve| have)?(?: (?:now|just|also|all))? (?:read|reviewed|opened|checked|gone (?:through|over)|went (?:through|over)|looked (?:at|through|into))",
    String.raw`(?:ich habe?|wir haben)(?=\s.*\s(?:gelesen|durchgelesen|durchgesehen|angesehen|geprüft)(?!\p{L}))`,
    "j['’]ai (?:lu|relu|consulté|parcouru)|(?:he|hemos) (?:leído|revisado|consultado)",
  ),
  "iu",
);
/** "Anna, Ben and Carl", "a.md and b.md": two names or more. */
const NAME = String.raw`(?:[\p{Lu}\p{N}][\p{L}\p{N}_./'’-]*|[\p{L}\p{N}_/-]+\.\p{L}\w{1,4})`;
const NAMES = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${NAME}(?:(?:\s*,\s*(?:(?:and|und|et|y) )?|\s+(?:and|und|et|y)\s+)${NAME})+`,
  "gu",
);
const BETWEEN_NAMES = /\s*,\s*(?:(?:and|und|et|y)\s+)?|\s+(?:and|und|et|y)\s+/u;
/** Calls whose outcome names files that were not opened. */
const NAMES_FILES = /^(?:fs_list|fs_exists|activity_list|ask_user)$/u;

/**
 * "I read the notes of Anna, Ben and Carl", where a folder or the request names all three, and a call opened only those of Anna; and "I
 * read all three notes", where three files are listed, and one was opened.
 */
function unreadTexts(
  text: string,
  numbers: readonly NumberMention[],
  { calls, source }: PreparedEvidence,
): Problem[] {
  if (!OWN_READING.test(text) || NEGATION.test(text) || CONDITIONAL.test(text) || EXCEPT.test(text))
    return [];
  const known = calls.filter(({ success }) => success);
  const opened = known.filter((call) => !isChange(call) && !NAMES_FILES.test(call.tool));
  if (opened.length === 0 || known.some(({ tool }) => DO_MANY.has(tool))) return [];
  const judge = source.conversation.length > 0 ? doubted : refuted;
  const wordsOfOpened = new Set(significantWords(opened.map((call) => call.text).join("\n")));
  const listed = known.filter(({ tool }) => NAMES_FILES.test(tool)).map((call) => call.text);
  const wordsNamed = new Set(significantWords([source.request, ...listed].join("\n")));
  const isOpened = (name: string): boolean =>
    filesIn(name).length > 0
      ? opened.some((call) => call.text.includes(name.toLowerCase()))
      : significantWords(name).some((word) => wordsOfOpened.has(word));
  for (const [names] of text.matchAll(NAMES)) {
    const parts = names.split(BETWEEN_NAMES).map((name) => name.replace(/['’]s?$|[.]+$/u, ""));
    const unread = parts.filter((name) => !isOpened(name));
    const isNamed = unread.every((name) => significantWords(name).some((word) => wordsNamed.has(word)));
    if (unread.length > 0 && unread.length < parts.length && isNamed)
      return [judge(`Said to be read, and no call opened anything about it: ${unread.join(", ")}.`)];
  }
  // A listing has each file by its path and by its name.
  const files = new Set(listed.flatMap(filesIn).flatMap((file) => /[^/]+\.\w+$/u.exec(file) ?? []));
  const read = new Set(opened.filter(({ tool }) => LISTS.test(tool)).map((call) => call.text));
  return numbers
    .filter(({ values, after }) => values.includes(files.size) && (TEXTS.test(after) || FILES.test(after)))
    .filter(() => read.size > 0 && read.size < files.size)
    .map(({ text: number }) =>
      judge(
        `${number} are said to be read, and the number of those that were opened is ${String(read.size)}.`,
      ),
    );
}
