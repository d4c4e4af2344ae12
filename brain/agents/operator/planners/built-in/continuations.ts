import { posix } from "node:path";
import { stem } from "@metahuman/core/language/tokens/words";
import { escapedPattern, plainWords } from "@metahuman/core/text/words";
import { columnNamed, type Table, tryReadTable } from "@metahuman/skills/fs-read/tables";
import type { PlanState } from "../../planner.ts";
import { interpretAlone, interpretRequest } from "./interpret-request.ts";
import { lastFile, lastList, TABLE } from "./last-request.ts";

// Requests that are only understood after the one before: about its file, its table or its list.

/** The same request in full; undefined if it is understood by itself, or continues nothing. */
export async function continuation(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  // Most requests need no second reading.
  if (!FORMS.some((form) => form.test(asked))) return undefined;
  const reading = await interpretRequest(state);
  const isRecalled =
    reading.kind === "plan" &&
    reading.calls.every(({ skill: id }) =>
      state.skills.some((skill) => skill.id === id && skill.answers !== undefined),
    );
  // "Add Kaisa, 40, no" is a row, although "no" by itself refuses something.
  const row = await newRow(state);
  if (row !== undefined) return row;
  // So is "Eila's fee is 22 not 20" a change.
  if (reading.kind === "refrain") return changeOfCell(state);
  if (reading.kind !== "not-understood" && !isRecalled) return undefined;
  return (
    politely(state) ??
    listNamedFirst(state) ??
    (await aboutLastPath(state)) ??
    (await aboutLastList(state)) ??
    (await aboutLastTable(state))
  );
}

const END = String.raw`(?:\s+(?:please|pls|thanks|now|again|lol|haha|sorry))*[\s.!?]*$`;
const ending = (words: string): RegExp =>
  new RegExp(String.raw`^(?:(?:and|also|ok|okay|oh|so|please|pls|then)[,\s]+)*(?:${words})${END}`, "iu");

/** "Calculate please 3 times 12", without "please". */
const PLEASE_WITHIN = /^(\p{L}+),?\s+(?:please|pls|kindly)[,:]?\s+/iu;

function politely({ request, ...state }: PlanState): string | undefined {
  const plain = request.trim().replace(PLEASE_WITHIN, "$1 ");
  const isRead = plain !== request.trim() && interpretAlone({ ...state, request: plain }).kind === "plan";
  return isRead ? plain : undefined;
}

/** "Need a list for the trip: stove, gas", "shopping list: milk, eggs": the name of a list and what is on it. */
const NAMED_LIST =
  /^(?:(?:i|we)\s+)?(?:(?:need|want|start|begin|make|create|write|do|new|here(?:['’]s| is))\s+(?:me\s+)?)?(?:(?:a|an|my|the|our|new)\s+)*(?<name>(?!(?:to-?do|task|tasks)\b)(?:\p{L}+\s+){0,2}list(?:\s+for\s+(?!(?:me|us)\b)[^:,]{1,40}?)?)(?:\s+for\s+(?:me|us))?\s*(?::|\s(?:with|of)\s)\s*(?<items>[^:]+)$/iu;

function listNamedFirst({ request, ...state }: PlanState): string | undefined {
  const { name, items } = NAMED_LIST.exec(request.trim())?.groups ?? {};
  if (name === undefined || items === undefined) return undefined;
  const purpose = /^list\s+for\s+(?:(?:the|my|our|a)\s+)?(?<purpose>.+)$/iu.exec(name)?.groups?.["purpose"];
  const full = `create a ${purpose === undefined ? name : `${purpose} list`} with ${items}`;
  return interpretAlone({ ...state, request: full }).kind === "plan" ? full : undefined;
}

const COPIES = ending(
  String.raw`(?:put|make|keep|save|store|leave)\s+(?:me\s+)?a\s+copy(?:\s+of\s+(?:it|that|this))?\s+(?:in|into|to|under|inside)\s+(?:the\s+)?(?<folder>[\p{L}\p{N}/_-]+?)/?(?:\s+folder)?`,
);
const SHOWS_FOLDER = ending(
  String.raw`what(?:['’]?s|\s+is|\s+are)?(?:\s+else)?(?:\s+is)?\s+(?:in|inside)\s+(?:that|this|the|the\s+same)\s+folder`,
);
/** An order for something that the path of the last file names: "copy the minutes to archive/". */
const NAMES_LAST =
  /^(?:(?:please|pls|now|then|and)\s+)*(?<verb>copy|duplicate|move|rename|show|read|open|summari[sz]e)\s+(?:the|that|this)\s+(?<noun>\p{L}+)(?<rest>\s+(?:to|into|as|in)\s.*)?$/iu;

async function aboutLastPath(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const folder = COPIES.exec(asked)?.groups?.["folder"];
  const { verb, noun, rest = "" } = NAMES_LAST.exec(asked)?.groups ?? {};
  if (folder === undefined && noun === undefined && !SHOWS_FOLDER.test(asked)) return undefined;
  const path = await lastFile(state);
  if (path === undefined) return undefined;
  if (folder !== undefined) return `copy ${path} to ${folder}/`;
  if (noun === undefined || verb === undefined) return `list the files in ${posix.dirname(path)}`;
  const words = plainWords(path.replaceAll(/[/._-]/gu, " ")).map(stem);
  return words.includes(stem(noun.toLowerCase())) ? `${verb} ${path}${rest}` : undefined;
}

const BOUGHT = ending(
  String.raw`(?:i(?:['’]ve|\s+have)?\s+)?(?:got|bought|found|picked\s+up)\s+(?:the\s+|some\s+)?(?<what>[\p{L}\p{N}][^.!?,]{0,40}?)(?:\s+(?:already|today))?`,
);
const MISSING = ending(
  String.raw`what(?:['’]?s|\s+is|\s+do\s+(?:i|we))?\s+(?:still\s+)?(?:missing|left|needed|need|to\s+(?:get|buy)|have\s+to\s+(?:get|buy))(?:\s+(?:on|from)\s+(?:it|the\s+list))?`,
);
const SHOULD_BE = ending(
  String.raw`(?<before>[\p{L}\p{N}][^.!?,:]{0,30}?)\s+(?:(?:is\s+wrong,?\s+it\s+)?(?:should|shall|must)|was\s+supposed\s+to|was\s+meant\s+to)\s+be\s+(?<after>[\p{L}\p{N}][^.!?,:]{0,30}?)`,
);

async function aboutLastList(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim();
  const bought = BOUGHT.exec(asked)?.groups?.["what"];
  const { before, after } = SHOULD_BE.exec(asked)?.groups ?? {};
  if (bought === undefined && before === undefined && !MISSING.test(asked)) return undefined;
  const list = await lastList(state);
  if (list?.isList !== true) return undefined;
  const has = (words: string): boolean => list.text.toLowerCase().includes(words.toLowerCase());
  if (bought !== undefined) return has(bought) ? `take ${bought} off ${list.path}` : undefined;
  if (before === undefined || after === undefined) return `show ${list.path}`;
  return has(before) ? `replace "${before}" with "${after}" in ${list.path}` : undefined;
}

const ROW = ending(
  String.raw`add\s+(?:a\s+row\s+)?(?<cells>[\p{L}\p{N}][^,!?\n]*(?:,\s*[^\s,!?][^,!?\n]*)+)`,
);

async function newRow(state: PlanState): Promise<string | undefined> {
  const cells = ROW.exec(state.request.trim())?.groups?.["cells"];
  if (cells === undefined || /\b(?:to|into|in|on)\s/iu.test(cells)) return undefined;
  const path = await lastFile(state);
  return path !== undefined && TABLE.test(path) ? `add ${cells} to ${path}` : undefined;
}

/** "And bass?", "what about the others?": the question before with another value. */
const OTHER_VALUE = ending(
  String.raw`(?:and\s+|what\s+about\s+|how\s+about\s+)(?:for\s+|in\s+)?(?:the\s+)?(?<which>[\p{L}\p{N}][\p{L}\p{N} .'’-]{0,40}?)`,
);
/** Not about what is the person's own, which memory may know. */
const ASKS =
  /^\W*(?:(?:and|so|but)\s+)?(?:who|which|what|whose|how|is|are|does|do|show|list)\b(?!.*\b(?:my|our|me)\b)/isu;

/** "Total tuesday now", "lowest grade?": a figure, and the rest of the words, which name a column. */
const FIGURE_WORD =
  /\b(?<figure>total|sum|avg|average|mean|highest|lowest|largest|smallest|biggest|most|least|altogether|in total|all together|together|in all)\b/iu;
const FIGURES: Readonly<Record<string, string>> = {
  avg: "average",
  mean: "average",
  total: "sum",
  most: "highest",
  largest: "highest",
  biggest: "highest",
  least: "lowest",
  smallest: "lowest",
};
const figureOf = (word: string): string =>
  FIGURES[word.toLowerCase()] ?? (/^(?:average|highest|lowest)$/iu.test(word) ? word.toLowerCase() : "sum");

/** "Who are they?" after "how many basses are there?". */
const WHO_ARE_THEY = ending(String.raw`(?:who|which|what)\s+(?:are|is)\s+(?:they|those|these|it|that)`);
const HOW_MANY = /^\W*(?:and\s+|so\s+)?how many\s/iu;

/** "Heluna tuesday is 25 not 21", "S5 should be 7.1", "and espresso to 1.00": a row, perhaps a column, and the value. */
const CELL_IS =
  /^(?:(?:and|sorry|no|oh|please|pls)[,\s]+)*(?:(?:change|set|put)\s+)?(?:the\s+)?(?<row>[\p{L}\p{N}][^,.!?:]{0,40}?)\s+(?:is|should be|shall be|must be|to)\s+(?<value>[^\s,!?]+(?:\s(?!not\b)\S+)?)(?:,?\s+(?:and\s+)?not\s+\S+)?(?:\s+now)?[\s.!]*$/iu;

/** What follows a beginning of a text; a letter if it begins otherwise. */
const after = (text: string, beginning: string): string =>
  text.startsWith(beginning) ? text.slice(beginning.length) : "x";
const NAME_ENDS = /^(?:['’]s)?(?:\s|$)/iu;

async function changeOfCell(state: PlanState): Promise<string | undefined> {
  const seen = CELL_IS.test(state.request.trim()) ? await lastTable(state) : undefined;
  return seen && cellChange(state.request.trim(), seen);
}

/** The change of one cell of the last table; undefined if no row is called so. */
function cellChange(asked: string, { table, path }: SeenTable): string | undefined {
  const { row = "", value } = CELL_IS.exec(asked)?.groups ?? {};
  if (value === undefined) return undefined;
  const words = row.toLowerCase();
  const name = table.rows
    .map(([first = ""]) => first.trim())
    .find((cell) => cell !== "" && NAME_ENDS.test(after(words, cell.toLowerCase())));
  if (name === undefined) return undefined;
  const rest = row
    .slice(name.length)
    .replace(/^['’]s\b/u, "")
    .trim();
  if (rest === "") return `change ${name} to ${value} in ${path}`;
  const column = columnNamed(table, rest);
  return column === undefined
    ? undefined
    : `set ${name}'s ${table.columns[column] ?? ""} to ${value} in ${path}`;
}

async function aboutLastTable(state: PlanState): Promise<string | undefined> {
  const asked = state.request.trim().replace(/[\s?.!]+$/u, "");
  const which = OTHER_VALUE.exec(state.request.trim())?.groups?.["which"];
  const figure = FIGURE_WORD.exec(asked)?.groups?.["figure"];
  const isCell = CELL_IS.test(asked);
  if (which === undefined && figure === undefined && !isCell && !ASKS.test(asked)) return undefined;
  const seen = await lastTable(state);
  if (seen === undefined) return undefined;
  const { table, path } = seen;
  const earlier = (await state.earlier?.()) ?? [];
  if (which !== undefined) {
    const before = earlier.find(({ request }) => OTHER_VALUE.exec(request.trim()) === null);
    const other = before && withOtherValue(before.request, table, which);
    if (other !== undefined) return other;
  }
  const change = cellChange(asked, seen);
  if (change !== undefined) return change;
  const [last] = earlier;
  if (last && WHO_ARE_THEY.test(asked) && HOW_MANY.test(last.request)) {
    const which = last.request.replace(HOW_MANY, "which ").replace(/[\s?.!]+$/u, "");
    return which.includes(path.slice(path.lastIndexOf("/") + 1)) ? which : `${which} in ${path}`;
  }
  const words = asked.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const column = words.map((word) => columnNamed(table, word)).find((index) => index !== undefined);
  if (column === undefined) return undefined;
  const full =
    figure === undefined
      ? `${asked} in ${path}`
      : `what is the ${figureOf(figure)} of ${table.columns[column] ?? ""} in ${path}`;
  const reading = interpretAlone({ ...state, request: full });
  return reading.kind === "plan" && reading.readOnly ? full : undefined;
}

interface SeenTable {
  table: Table;
  path: string;
}

/** The table that the last request with calls read or changed, as the conversation saw it last. */
async function lastTable(state: PlanState): Promise<SeenTable | undefined> {
  const path = await lastFile(state);
  if (path === undefined || !TABLE.test(path)) return undefined;
  for (const { calls } of (await state.earlier?.()) ?? [])
    for (const { outputs } of calls.toReversed()) {
      const table = outputs?.["path"] === path ? tryReadTable({ ...outputs }) : undefined;
      if (table !== undefined) return { table, path };
    }
  return undefined;
}

/** A request about one value of a column, about another value of that column. */
function withOtherValue(request: string, { rows }: Table, which: string): string | undefined {
  const cellsOf = (index: number): string[] => rows.map((row) => row[index]?.trim() ?? "");
  const wanted = which.toLowerCase();
  const [first = []] = rows;
  for (const index of first.keys()) {
    const cells = cellsOf(index);
    if (!cells.some((cell) => cell.toLowerCase() === wanted)) continue;
    for (const cell of cells) {
      if (cell === "") continue;
      const named = new RegExp(String.raw`(?<![\p{L}\p{N}])${escapedPattern(cell)}(?![\p{L}\p{N}])`, "iu");
      if (named.test(request)) return request.replace(named, which);
    }
  }
  return undefined;
}

/** What a request that continues another one may look like. */
const FORMS: readonly RegExp[] = [
  PLEASE_WITHIN,
  NAMED_LIST,
  COPIES,
  SHOWS_FOLDER,
  NAMES_LAST,
  BOUGHT,
  MISSING,
  SHOULD_BE,
  ROW,
  OTHER_VALUE,
  CELL_IS,
  FIGURE_WORD,
  ASKS,
];
