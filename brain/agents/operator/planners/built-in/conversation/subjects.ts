import { isOpenStatus, Task } from "@metahuman/core/contract/task";
import type { EarlierCall, EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import { contentStems } from "@metahuman/core/language/tokens/words";
import { selectRows, type Table, tryReadTable } from "@metahuman/skills/fs-read/tables";
import { RESUMES } from "@metahuman/skills/support/schedules";
import { rowLabel } from "@metahuman/skills/table-edit/row-words";
import { isRecord } from "@metahuman/core/text/is-record";
import type { PlanState } from "../../../planner.ts";

// Finds what a conversation was about: the files, folders, tasks, schedules, facts and results that its earlier requests made,
// changed, read or listed, the newest first. Also finds which of several names some words mean.

export const IS_TABLE = /\.(?:csv|tsv)$/iu;
const IS_TEXT = /\.(?:txt|md)$/iu;
const IS_FILE = /\.\p{L}[\p{L}\p{N}]*$/u;

/** A file, folder, task, schedule, remembered fact or result that an earlier request was about. */
export type Subject = {
  /** How many requests about something else came after it; 0 for the newest. */
  age: number;
  /** The request, as written. */
  request: string;
  /** True if the request changed it. */
  isChanged: boolean;
} & (
  | {
      kind: "text";
      path: string;
      /** All lines that the conversation has read or written, the newest first; some may be gone. */
      lines: readonly string[];
      isList: boolean;
      /** Lines were added to it. */
      isAddedTo: boolean;
    }
  /** `row` and `column` are those that the last request was about. */
  | { kind: "table"; path: string; table: Table; row?: string; column?: string }
  | { kind: "file"; path: string }
  | { kind: "folder"; path: string }
  | { kind: "task"; id: string; title: string; due?: string; isOpen: boolean; isReminder: boolean }
  /** `when` in words: "every weekday at 08:15". */
  | { kind: "schedule"; id: string; title: string; when: string; isPaused: boolean }
  | { kind: "fact"; text: string }
  | { kind: "result"; value: string }
);

export type SubjectOf<Kind extends Subject["kind"]> = Extract<Subject, { kind: Kind }>;

/** The subjects of the conversation, newest first; each with its latest state. `hasDone`: with the tasks that are done. */
export async function findSubjects(
  { earlier, skills }: Pick<PlanState, "earlier" | "skills">,
  { hasDone = false }: { hasDone?: boolean } = {},
): Promise<Subject[]> {
  const requests = (await earlier?.()) ?? [];
  const changing = new Set(skills.flatMap(({ id, effects }) => (effects === "read" ? [] : [id])));
  // Undefined for what was deleted or done.
  const foundSubjects = new Map<string, Subject | undefined>();
  let age = 0;
  for (const request of requests) {
    let isAbout = false;
    for (const call of request.calls.toReversed()) {
      const removedKey =
        call.outputs?.["removed"] === undefined ? undefined : (call.outputs["path"] ?? call.outputs["id"]);
      if (typeof removedKey === "string") {
        if (!foundSubjects.has(removedKey)) foundSubjects.set(removedKey, undefined);
        continue;
      }
      for (const subject of subjectsOfCall(call, request, requests, {
        age,
        isChanged: changing.has(call.skill),
      })) {
        const key = keyOf(subject);
        isAbout = true;
        const knownSubject = foundSubjects.get(key);
        if (!foundSubjects.has(key))
          foundSubjects.set(
            key,
            subject.kind === "task" && !subject.isOpen && !hasDone ? undefined : subject,
          );
        // A reminder whose time was changed later is still a reminder.
        else if (knownSubject?.kind === "task" && subject.kind === "task" && subject.isReminder)
          foundSubjects.set(key, { ...knownSubject, isReminder: true });
      }
    }
    if (isAbout) age += 1;
  }
  return [...foundSubjects.values()].filter((subject) => subject !== undefined);
}

function keyOf(subject: Subject): string {
  switch (subject.kind) {
    case "text":
    case "table":
    case "file":
    case "folder":
      return subject.path;
    case "task":
    case "schedule":
      return subject.id;
    case "fact":
      return `fact ${subject.text}`;
    case "result":
      return "result";
    default:
      return subject satisfies never;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The things that a call made, changed, read or listed; none for one that failed. */
function subjectsOfCall(
  { skill, args, outputs }: EarlierCall,
  { request }: EarlierRequest,
  requests: readonly EarlierRequest[],
  { age, isChanged }: { age: number; isChanged: boolean },
): Subject[] {
  if (outputs === undefined) return [];
  const base = { age, request, isChanged };
  const { task, tasks, matches, schedule, schedules } = outputs;
  // If several tasks were found, none of them is the subject.
  const isUnclear = Array.isArray(matches) && matches.length > 1;
  const listed: unknown[] = [...(isUnclear ? [] : [task]), ...listOf(tasks)];
  const isReminder = /\bremind\b/iu.test(request);
  const things = [
    ...listed.flatMap((listedTask): Subject[] => {
      const { data } = Task.safeParse(listedTask);
      if (data === undefined) return [];
      const { id, title, due, status } = data;
      const isOpen = isOpenStatus(status);
      return [{ ...base, kind: "task", id, title, ...(due !== undefined && { due }), isOpen, isReminder }];
    }),
    ...[schedule, ...listOf(schedules)].flatMap((listedSchedule): Subject[] =>
      isRecord(listedSchedule) &&
      typeof listedSchedule["id"] === "string" &&
      typeof listedSchedule["title"] === "string" &&
      // A schedule that only ends a pause is not a subject.
      !listedSchedule["title"].toLowerCase().startsWith(RESUMES)
        ? [
            {
              ...base,
              kind: "schedule",
              id: listedSchedule["id"],
              title: listedSchedule["title"],
              when: stringIn(listedSchedule, "when"),
              isPaused: listedSchedule["enabled"] === false,
            },
          ]
        : [],
    ),
  ];
  if (things.length > 0) return things;
  const { text } = args;
  if (skill === "memory_remember" && typeof text === "string") return [{ ...base, kind: "fact", text }];
  const { result } = outputs;
  if (skill === "calculate" && typeof result === "string")
    return [{ ...base, kind: "result", value: result }];
  const path = outputs["path"] ?? outputs["to"] ?? outputs["origin"];
  return typeof path === "string" ? subjectsOfPath(path, outputs, requests, base) : [];
}

/** The roots of the workspace are listed to find files, and are not subjects themselves. */
const ROOT = /^(?:out|inbox)\/?$/u;

function subjectsOfPath(
  path: string,
  outputs: Readonly<Record<string, unknown>>,
  requests: readonly EarlierRequest[],
  base: Pick<Subject, "age" | "request" | "isChanged">,
): Subject[] {
  if (!IS_FILE.test(path)) return ROOT.test(path) ? [] : [{ ...base, kind: "folder", path }];
  const names = formerPaths(path, requests);
  if (IS_TABLE.test(path)) {
    const table = tableOf(names, requests);
    return table === undefined
      ? [{ ...base, kind: "file", path }]
      : [{ ...base, kind: "table", path, table, ...findCell(table, path, base.request, outputs) }];
  }
  if (!IS_TEXT.test(path)) return [{ ...base, kind: "file", path }];
  const inMarkdown = isOnlyTable(names, requests) ? tableOf(names, requests) : undefined;
  if (inMarkdown !== undefined)
    return [
      {
        ...base,
        kind: "table",
        path,
        table: inMarkdown,
        ...findCell(inMarkdown, path, base.request, outputs),
      },
    ];
  const isAddedTo = callsOn(names, requests).some(
    ({ args: { asItem, content, text } }) => asItem === true || isListText(content) || isListText(text),
  );
  const lines = linesOf(names, requests);
  const isList =
    isAddedTo || /list/iu.test(path) || isListText(lines.join("\n")) || isListText(outputs["content"]);
  return [{ ...base, kind: "text", path, lines, isList, isAddedTo }];
}

/** The maximum length of a line that is an item of a list, in characters. */
const MAX_ITEM_LENGTH = 60;

/** True for a text whose lines are items: "eggs\nflour". */
const isListText = (text: unknown): boolean =>
  typeof text === "string" &&
  text.trim() !== "" &&
  text.split("\n").every((line) => line.length <= MAX_ITEM_LENGTH && !/[.!?]$/u.test(line.trim()));

/** The path of a file and those that it had before it was moved or copied there. */
function formerPaths(path: string, requests: readonly EarlierRequest[]): Set<unknown> {
  const names = new Set<unknown>([path]);
  for (const { calls } of requests)
    for (const { outputs } of calls.toReversed())
      if (names.has(outputs?.["to"]) && outputs?.["from"] !== undefined) names.add(outputs["from"]);
  return names;
}

const callsOn = (names: ReadonlySet<unknown>, requests: readonly EarlierRequest[]): EarlierCall[] =>
  requests
    .flatMap(({ calls }) => calls.toReversed())
    .filter(({ outputs }) => outputs !== undefined && names.has(outputs["path"]));

/** The lines of a text that the conversation knows, the newest first. */
function linesOf(names: ReadonlySet<unknown>, requests: readonly EarlierRequest[]): string[] {
  const lines = callsOn(names, requests).flatMap(({ args, outputs }) => {
    const { line, find, text } = args;
    const isPart = typeof line === "string" && typeof find === "string" && typeof text === "string";
    const knownTexts = isPart
      ? [line.replace(find, () => text)]
      : [find === undefined ? text : undefined, args["content"], outputs?.["content"]];
    return knownTexts.flatMap((knownText) =>
      typeof knownText === "string" ? knownText.split("\n").toReversed() : [],
    );
  });
  return [...new Set(lines.map((line) => line.trim()).filter((line) => line !== ""))];
}

/** True for a Markdown file that contains only one table and headings. */
function isOnlyTable(names: ReadonlySet<unknown>, requests: readonly EarlierRequest[]): boolean {
  const content = callsOn(names, requests)
    .flatMap(({ args, outputs }) => [outputs?.["content"], args["content"]])
    .find((text) => typeof text === "string");
  return (
    typeof content === "string" &&
    content
      .trim()
      .split("\n")
      .filter((line) => line.trim() !== "" && !line.startsWith("#"))
      .every((line, index, lines) => line.startsWith("|") && lines.length > 1)
  );
}

/** The table as it was read or written last, with the changes that were made since. */
function tableOf(names: ReadonlySet<unknown>, requests: readonly EarlierRequest[]): Table | undefined {
  const changes: Readonly<Record<string, unknown>>[] = [];
  const changed = (table: Table): Table => changes.toReversed().reduce(applyChange, table);
  for (const { args, outputs } of callsOn(names, requests)) {
    const { path } = outputs ?? {};
    const table = tryReadTable({ ...outputs }) ?? tryReadTable({ path, content: stringIn(args, "content") });
    if (table !== undefined && table.columns.length > 0) return changed(table);
    if (outputs?.["action"] !== undefined) changes.push(outputs);
  }
  const knownCells = changes.map(({ cells }) => cells).find(isRecord);
  return knownCells && changed({ columns: Object.keys(knownCells), rows: [] });
}

/** A table after one change of it, as the call reported it; unchanged for changes of its columns and its order. */
function applyChange(table: Table, outputs: Readonly<Record<string, unknown>>): Table {
  const { columns, rows } = table;
  const { action, row, cells, after } = outputs;
  const column = columns.indexOf(stringIn(outputs, "column"));
  if (isRecord(cells)) return { ...table, rows: [...rows, columns.map((name) => stringIn(cells, name))] };
  const isRow = (tableRow: readonly string[], index: number): boolean =>
    rowLabel(table, index) === row || tableRow.filter((cell) => cell !== "").join(", ") === row;
  if (action === "remove")
    return { ...table, rows: rows.filter((tableRow, index) => !isRow(tableRow, index)) };
  if (action === "set_all" && column >= 0)
    return {
      ...table,
      rows: rows.map((tableRow) =>
        columns.map((_, index) => (index === column ? stringIn(outputs, "after") : (tableRow[index] ?? ""))),
      ),
    };
  if (action !== "set" || column < 0 || typeof after !== "string") return table;
  const filled = (tableRow: readonly string[]): string[] => columns.map((_, index) => tableRow[index] ?? "");
  return {
    ...table,
    rows: rows.map((tableRow, index) =>
      isRow(tableRow, index) ? filled(tableRow).with(column, after) : tableRow,
    ),
  };
}

const stringIn = (values: Readonly<Record<string, unknown>>, name: string): string => {
  const value = values[name];
  return typeof value === "string" ? value : "";
};

/** The row and the column that a request about a table was about: those that it changed, or the only ones that it names. */
function findCell(
  table: Table,
  path: string,
  request: string,
  outputs: Readonly<Record<string, unknown>>,
): { row?: string; column?: string } {
  const { row, column, cells } = outputs;
  if (typeof row === "string") {
    const first = isRecord(cells) ? Object.values(cells)[0] : row;
    return { row: String(first), ...(typeof column === "string" && { column }) };
  }
  const { rows, value, column: index } = selectRows(table, path, request);
  const named = index === undefined ? undefined : table.columns[index];
  return {
    ...(rows.length === 1 && value !== undefined && { row: rows[0]?.[0] ?? value }),
    ...(named !== undefined && { column: named }),
  };
}

/** The stems of the content words of a path: "out/red-bike.txt" has "out", "red", "bike" and "txt". */
export const pathStems = (path: string): string[] => contentStems(path.replaceAll(/[/._-]/gu, " "));

/** Words after a name that only give a reason: "history i withdrew", "it because she is ill". */
const REASON =
  /\s+(?:because|since|as|for|cause|cos|i|he|she|they|we|it|its|shes|hes|theyre)(?:['’]\p{L}+)?\s.*$/iu;

/**
 * The one of these names that words mean: the same name, or the only one that has all their content words. Undefined if there is
 * none or several.
 */
export function findMeantName(words: string, names: readonly string[]): string | undefined {
  for (const attempt of [words, words.replace(REASON, "")]) {
    const wantedName = attempt
      .trim()
      .toLowerCase()
      .replace(/^(?:the|my|our|that|this|a|an)\s+/u, "");
    const same = names.find((name) => name.trim().toLowerCase() === wantedName);
    if (same !== undefined) return same;
    const askedStems = contentStems(wantedName);
    if (askedStems.length === 0) continue;
    const [only, ...others] = names.filter((name) => {
      const nameStems = contentStems(name);
      return askedStems.every((word) => nameStems.includes(word));
    });
    if (only !== undefined) return others.length === 0 ? only : undefined;
  }
  return undefined;
}

/** The one of these names that a sentence mentions, wholly or by one of its words; undefined if it mentions none or several. */
export function findMentionedName(sentence: string, names: readonly string[]): string | undefined {
  const mentioned = contentStems(sentence);
  const fitting = (isFit: (nameStems: readonly string[]) => boolean): readonly string[] =>
    names.filter((name) => {
      const nameStems = contentStems(name);
      return nameStems.length > 0 && isFit(nameStems);
    });
  const whole = fitting((nameStems) => nameStems.every((word) => mentioned.includes(word)));
  if (whole.length === 1) return whole[0];
  const partly = fitting((nameStems) => nameStems.some((word) => mentioned.includes(word)));
  return partly.length === 1 ? partly[0] : undefined;
}

/** The subjects without the reminders of their dated tasks, which move with the tasks. */
export function dropRemindersOfTasks(subjects: readonly Subject[]): Subject[] {
  const dated = new Set(
    subjects.flatMap((subject) =>
      subject.kind === "task" && subject.due !== undefined ? [subject.title.toLowerCase()] : [],
    ),
  );
  return subjects.filter((subject) => subject.kind !== "schedule" || !dated.has(subject.title.toLowerCase()));
}
