import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { PATH } from "@metahuman/core/language/tokens/reorder";
import type { PlanState } from "../../../planner.ts";
import { MAX_REQUEST_WITH_TEXT } from "../conversation/limits.ts";
import { hasSkill, type Resolution } from "../conversation/resolution.ts";
import { STARTS_WITH_ORDER } from "../order-with-reasons.ts";
import { END, POLITE } from "../wordings.ts";

// Reads an order for a new JSON file whose keys and values the request says, and for a new table whose header and rows it says. All of
// them must be read: a file that holds a part of what was said would be wrong.

const MAKES = String.raw`(?:(?:i|we)(?:['’]d|\s+would)?\s+(?:need|want|like)(?:\s+to\s+have)?|(?:make|create|write|build|prepare|start|set\s+up)(?:\s+(?:me|us))?|there\s+(?:should|must|has\s+to)\s+be)`;
const NEW_JSON = new RegExp(
  String.raw`^${POLITE}${MAKES}\s+(?:an?\s+|the\s+)?(?:new\s+)?json(?:\s+file)?(?:\s+(?:called|named|at))?\s+(?<path>${PATH})(?<=\.json)(?:[,:]?\s+(?<joint>where|in\s+which|whose|with|that\s+has|containing)|[,:])\s+(?<pairs>[^?{}[\]\n]{3,300}?)${END}`,
  "iu",
);
const PAIRS = /\s*(?:,\s*(?:and\s+)?|\s+and\s+)(?:with\s+)?/iu;
/** "Theme is dark", "the key theme has the value dark", "theme: dark" */
const PAIR =
  /^(?:the\s+)?(?:key\s+|field\s+)?(?<key>[\p{L}_][\p{L}\p{N}_-]*)\s*(?:=|:|\s(?:is|are|equals|being|set\s+to|has\s+the\s+value|with\s+the\s+value)\s)\s*(?<value>\S.*)$/iu;
/** "Width 4"; "my contacts" and "default settings" are none. */
const SHORT_PAIR =
  /^(?:the\s+)?(?:key\s+|field\s+)?(?!(?:the|an?|my|our|your|his|her|their|its|this|that|these|those|no|any|some|all|every|each|other|more|default|usual|standard|empty|new|old|same|such|only|just|at|in|of|for|from|to|as|by)\s)(?<key>[\p{L}_][\p{L}\p{N}_-]*)\s+(?<value>\S+)$/iu;
/** A value that was only described is none: "theme is the same as before", "theme is not dark". */
const NO_VALUE =
  /^(?:not|never|the|my|our|your|a|an|same|what|whatever|either|maybe|something|one)\b|\b(?:or|if|unless)\b/iu;
const MAX_VALUE_WORDS = 4;
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/u;
const QUOTED = /^(?:"(?<plain>[^"]*)"|'(?<single>[^']*)'|“(?<curly>[^“”]*)”)$/u;

function readValue(words: string): string | number | boolean | null | undefined {
  const { plain, single = plain, curly = single } = QUOTED.exec(words)?.groups ?? {};
  if (curly !== undefined) return curly;
  if (/["“”]/u.test(words) || NO_VALUE.test(words) || words.split(/\s+/u).length > MAX_VALUE_WORDS)
    return undefined;
  if (NUMBER.test(words)) return Number(words);
  const named = { true: true, false: false, null: null }[words.toLowerCase()];
  return named === undefined ? words : named;
}

function jsonOf(pairs: string, isShort: boolean): string | undefined {
  const values = new Map<string, unknown>();
  let hasSureValue = false;
  for (const words of pairs.split(PAIRS)) {
    const pair = PAIR.exec(words);
    const { key, value } = (pair ?? (isShort ? SHORT_PAIR.exec(words) : null))?.groups ?? {};
    const read = value === undefined ? undefined : readValue(value.trim());
    if (key === undefined || value === undefined || read === undefined || values.has(key)) return undefined;
    hasSureValue ||= pair !== null || typeof read !== "string" || QUOTED.test(value.trim());
    values.set(key, read);
  }
  // Two words alone are rather a description than a key and its value: "with user data and order history".
  if (!hasSureValue) return undefined;
  return `${JSON.stringify(Object.fromEntries(values), undefined, 2)}\n`;
}

const NEW_TABLE = new RegExp(
  String.raw`^${POLITE}${MAKES}\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:table\s+|csv\s+)?(?:file\s+)?(?<path>${PATH})(?<=\.(?:csv|tsv))\s*[,:]?\s*(?:with\s+)?(?:(?:the|a|its)\s+)?(?:header|headings?|columns|first\s+(?:line|row))(?:\s+(?:row|line))?(?:\s+(?:is|are|of))?\s*:?\s+(?<rows>[^?"“”\n]{3,300}?)${END}`,
  "iu",
);
const EACH_LINE =
  /\s*[,;]?\s*(?:and\s+)?(?:each|every\s+one|all)(?:\s+(?:row|entry|of\s+them))?\s+(?:on|in)\s+(?:its|an?|their)\s+(?:own|separate|new)\s+(?:line|row)s?$/iu;
const THEN =
  /\s*[,;]?\s*\b(?:and\s+)?(?:(?:then|followed\s+by)\s+(?:(?:the\s+)?rows?\s+)?|(?:the\s+)?(?:second|third|fourth|fifth|sixth|next|last)\s+(?:row|line)(?:\s+is)?:?\s+)|\s*;\s*/iu;
const MAX_CELL_WORDS = 5;
const ADDS_ROW =
  /^(?:add|append|insert|enter|put(?:\s+in)?)\s+(?:(?:(?:an?|the|one|another|one\s+more)\s+)?(?:new\s+)?(?:row|line|entry)(?:\s+with)?\s*:?\s+)?/iu;
/** "Add milk, eggs to my list", "add a task, buy milk": another order, and no row of the table. */
const OTHER_OBJECT =
  /\b(?:to|into|onto|in|from|task|to-?do|reminder|note|list|file|folder|schedule|event|column)s?\b/iu;

/** A row without the verb that adds it; undefined for another order. */
function readRow(words: string): string | undefined {
  const row = words.trim().replace(ADDS_ROW, "");
  // "Mark Twain, 74": a name; an order in the middle begins with a small letter.
  if (/^\p{Ll}/u.test(row) && STARTS_WITH_ORDER.test(row)) return undefined;
  return row !== words.trim() && OTHER_OBJECT.test(row) ? undefined : row;
}

function tableOf(words: string, isTabbed: boolean): string | undefined {
  const [header = "", ...others] = words.replace(EACH_LINE, "").split(THEN);
  const read = others.flatMap((row) => readRow(row) ?? []);
  if (read.length !== others.length) return undefined;
  const rows = [header, ...read].map((row) => row.split(",").map((cell) => cell.trim()));
  const width = rows[0]?.length ?? 0;
  const isTable =
    rows.length > 1 &&
    width > 1 &&
    rows.every(
      (row) =>
        row.length === width &&
        row.every((cell) => cell !== "" && cell.split(/\s+/u).length <= MAX_CELL_WORDS),
    );
  return isTable ? `${rows.map((row) => row.join(isTabbed ? "\t" : ",")).join("\n")}\n` : undefined;
}

/** The call that writes a JSON file or a table of which the request says all values; undefined for any other request. */
export function readNewData(state: PlanState): Resolution | undefined {
  const request = state.request.trim();
  if (request.length > MAX_REQUEST_WITH_TEXT || !hasSkill(state, "fs_write")) return undefined;
  const { path, pairs, joint = "" } = NEW_JSON.exec(request)?.groups ?? {};
  const table = NEW_TABLE.exec(request)?.groups;
  const isShort = joint === "" || /^(?:with|that|containing)/iu.test(joint);
  const content =
    pairs === undefined
      ? tableOf(table?.["rows"] ?? "", /\.tsv$/iu.test(table?.["path"] ?? ""))
      : jsonOf(pairs, isShort);
  const to = path ?? table?.["path"];
  if (content === undefined || to === undefined) return undefined;
  return { kind: "calls", calls: [callOf("fs_write", fromRequest({ path: to, content }), request)] };
}
