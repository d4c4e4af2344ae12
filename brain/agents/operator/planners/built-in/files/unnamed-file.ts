import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import { contentWords, stem, stemSet } from "@metahuman/core/language/tokens/words";
import { plainWords } from "@metahuman/core/text/words";
import { isRecord } from "@metahuman/core/text/is-record";
import { escapeInline } from "@metahuman/skills/markdown";
import { records, textField } from "@metahuman/skills/outputs";
import { linePreview } from "@metahuman/skills/support/phrasing";
import type { PlannerDecision, PlanState } from "../../../planner.ts";
import { lookUp } from "../follow.ts";
import { interpretAlone, interpretRequest } from "../interpret-request.ts";
import { stepOf } from "../next-step.ts";
import { sentences, THOUGHTS } from "../phrasing.ts";
import { readMessageForTable } from "../table/read-table-message.ts";
import { isMarkWord } from "../table/words.ts";
import { IS_TABLE } from "../conversation/subjects.ts";
import { ASKS_FOR, ASKS_IF, deniesOr, NOTHING } from "../word-lists.ts";

// Decides questions and changes that name no file, by searching the files for their words. "When does the library close?" is answered
// from the one file whose lines have the words; "raise Tunde's fee to 14000" changes the one table that has the row and the column.

/** Words that are in questions about anything, and so in files about anything. */
const COMMON: ReadonlySet<string> = stemSet(
  "know tell say said show give find look see get got make made take taken come go went need want like use " +
    "think mean happen have keep let long many much big small high old far often soon next last first new more most " +
    "left against win back out time day today tomorrow yesterday week month year people person thing way kind " +
    "still yet already ever please thank exactly actually called name number file note",
);
/** A longer question is a text. */
const MAX_WORDS = 8;
/** One word alone must be rare: it is in as many lines of one file at most. */
const MAX_LINES = 3;
/** With more files the words are common in this workspace. */
const MAX_FILES = 5;
const MAX_SUGGESTIONS = 3;

/** The view of a file that answers with its lines, values or rows that have the words. */
const ABOUT = "about";

/** The content words of a text, without those of every question. */
const distinctiveWords = (text: string): string[] => [
  ...new Set(contentWords(text).filter((word) => !COMMON.has(stem(word)))),
];

/** What a word has in all its forms: "rent" of "rents". */
function commonBeginning(word: string): string {
  const found = stem(word);
  return word.startsWith(found) ? found : word;
}

/** The look-up of the lines that have these words; undefined if no skill searches files. */
function createSearch(
  askedWords: readonly string[],
  { skills, request }: PlanState,
): PlannedCall | undefined {
  const searcher = skills.find(({ checks }) => checks?.words !== undefined);
  const argument = searcher?.checks?.words;
  if (searcher === undefined || argument === undefined) return undefined;
  const [only, ...others] = askedWords;
  const query = only !== undefined && others.length === 0 ? commonBeginning(only) : askedWords.join(" ");
  return { ...callOf(searcher.id, fromRequest({ [argument]: query }), request), lookup: query };
}

/** The step that looks for lines, or those that were found, with the call that found them. */
type SearchedLines =
  | Extract<PlannerDecision, { kind: "act" }>
  | ({ kind: "found"; search: PlannedCall } & FoundLines);

/** The lines that share the most of these words, or the step that looks for them. Undefined if there are none, or too many words. */
function searchLines(askedWords: readonly string[], state: PlanState): SearchedLines | undefined {
  const search =
    askedWords.length === 0 || askedWords.length > MAX_WORDS ? undefined : createSearch(askedWords, state);
  if (search === undefined) return undefined;
  const looked = lookUp(search, state);
  if (looked.kind === "act") return { ...looked, thought: THOUGHTS.unnamedFile };
  return looked.outcome?.kind === "done"
    ? { kind: "found", search, ...collectLines(looked.outcome.done.outputs, askedWords) }
    : undefined;
}

/**
 * Answers a question from the one file whose lines have most of its words, although the question names no file: at least two, or
 * the only one, if it is rare; names the files if there are several. `isWhole` if every word was found. Undefined if no file has
 * enough of them.
 */
export function decideFromUnnamedFile(
  words: string,
  state: PlanState,
): { decision: PlannerDecision; isWhole: boolean } | undefined {
  const { skills, request } = state;
  const askedWords = distinctiveWords(words);
  const reader = skills.find(({ results, views }) => results?.textOf !== undefined && views?.[ABOUT]);
  const searchResult = reader?.results?.textOf === undefined ? undefined : searchLines(askedWords, state);
  if (searchResult === undefined || reader?.results?.textOf === undefined) return undefined;
  if (searchResult.kind === "act") return { decision: searchResult, isWhole: false };
  const { search, ...found } = searchResult;
  const paths = [...new Set(found.lines.map(({ path }) => path))];
  const [only, ...others] = paths;
  if (only === undefined || paths.length > MAX_FILES || found.words.length * 2 < askedWords.length)
    return undefined;
  const isWhole = found.words.length === askedWords.length;
  if (askedWords.length === 1 && (others.length > 0 || found.lines.length > MAX_LINES)) return undefined;
  if (others.length > 0) return { decision: listFiles(found), isWhole: false };
  // The lines with the words of "who hasn't paid?" would answer the opposite.
  const isNegated = IS_TABLE.test(only) && NEGATED.test(request);
  const named = isNegated ? readQuestionOfFile(only, state) : undefined;
  if (isNegated && named === undefined) return undefined;
  const readCall = named ?? {
    ...callOf(reader.id, fromRequest({ [reader.results.textOf]: only }), request),
    view: { name: ABOUT, values: { about: found.words.join(" ") } },
  };
  const decision = stepOf([search, readCall], state);
  // A table may have the rows or the column, but not what is asked of them.
  if (decision.kind === "answer" && decision.isUnanswered === true) return undefined;
  const remark = isWhole ? sentences.about([only]) : sentences.nearestInFile(only, found.words);
  return { decision: stepOf([search, readCall], state, { assumed: [remark] }), isWhole };
}

const NEGATED = deniesOr(NOTHING);

/** The question as one about this file, if that is understood as a question about a part of it. */
function readQuestionOfFile(path: string, state: PlanState): PlannedCall | undefined {
  const request = `${state.request.trim().replace(/[\s?.!]+$/u, "")} in ${path}`;
  const reading = interpretAlone({ ...state, request });
  const [call, ...others] = reading.kind === "plan" && reading.readOnly ? reading.calls : [];
  return call?.view !== undefined && others.length === 0 ? call : undefined;
}

/** "Total hours for Lind", "average flux of the dry plots": a figure of a column, without the table. */
const FIGURE = new RegExp(
  [
    String.raw`^\W*(?:(?:please|pls|and|what is|what['’]?s|tell me|give me|show me|calculate|compute)\s+)*(?:the\s+)?`,
    String.raw`(?<figure>total|sum|average|mean|highest|lowest|largest|smallest|biggest)\s+`,
    String.raw`(?:of\s+)?(?:all\s+)?(?:the\s+)?(?<column>[\p{L}-]+)`,
    String.raw`(?:\s+(?:of|for|by|in)\s+(?:all\s+)?(?:the\s+)?(?<which>[\p{L}\p{N}][^?.!,]*))?[\s?.!]*$`,
  ].join(""),
  "iu",
);

/** Works out a figure of the one table that has its words; undefined for any other request. */
export async function decideFigureInUnnamedTable(state: PlanState): Promise<PlannerDecision | undefined> {
  const { figure, column, which } = FIGURE.exec(state.request)?.groups ?? {};
  if (figure === undefined || column === undefined) return undefined;
  const searchResult = searchLines(distinctiveWords(`${column} ${which ?? ""}`), state);
  if (searchResult === undefined) return undefined;
  if (searchResult.kind === "act") return searchResult;
  const [only, ...others] = [
    ...new Set(searchResult.lines.map(({ path }) => path).filter((path) => IS_TABLE.test(path))),
  ];
  if (only === undefined || others.length > 0) return undefined;
  const request = `${figure} of ${column} in ${only}${which === undefined ? "" : ` for ${which}`}`;
  const reading = await interpretRequest({ ...state, request });
  return reading.kind === "plan" && reading.readOnly
    ? stepOf(reading.calls, state, { assumed: [sentences.about([only])] })
    : undefined;
}

const IS_ASKED = new RegExp(String.raw`^\W*(?:(?:and|so)\s+)?(?:${ASKS_FOR}|${ASKS_IF})\b`, "iu");
/** "Raise Tunde's fee to 14000": a column of the row that is named. */
const OWN_VALUE = new RegExp(
  [
    String.raw`^(?:(?:please|can\s+you|could\s+you)\s+)*(?:(?:change|set|raise|lower|increase|reduce|update|correct|put|make)\s+)?`,
    String.raw`(?<name>[\p{L}\p{N}][\p{L}\p{N} -]{0,30})['’]s?\s+[\p{L} ]{2,20}?\s+`,
    String.raw`(?:(?:up|down)\s+)?(?:to|is\s+now|should\s+be)\s+\S`,
  ].join(""),
  "iu",
);

/** The move for a new value of a named row and column, if exactly one table has them; undefined for any other message. */
export function decideValueInUnnamedTable(state: PlanState): PlannerDecision | undefined {
  const name = OWN_VALUE.exec(state.request)?.groups?.["name"];
  return name === undefined ? undefined : decideFromTablesWith(plainWords(name), state);
}

/** More tables are not read for one message. */
const MAX_TABLES = 3;

/** The move for a message about rows or columns that exactly one table has, although nothing names the table. */
export function decideFromUnnamedTable(state: PlanState): PlannerDecision | undefined {
  const content = distinctiveWords(state.request);
  // The cells and columns are looked for; "owes" is in no table, but says what a column "paid" says.
  const named = content.filter((word) => !isMarkWord(word));
  const mayBeOfTable =
    !state.request.includes("\n") && (IS_ASKED.test(state.request) || content.some(isMarkWord));
  return mayBeOfTable ? decideFromTablesWith(named.length > 0 ? named : content, state) : undefined;
}

/** The move for a message about exactly one of the tables whose lines have these words. */
function decideFromTablesWith(named: readonly string[], state: PlanState): PlannerDecision | undefined {
  const searchResult = searchLines(named, state);
  if (searchResult === undefined) return undefined;
  if (searchResult.kind === "act") return searchResult;
  const paths = [...new Set(searchResult.lines.map(({ path }) => path))].filter((path) =>
    IS_TABLE.test(path),
  );
  if (paths.length > MAX_TABLES) return undefined;
  const readings = paths.map((path) => ({ path, calls: readMessageForTable(path, state) }));
  const unread = readings.find(({ calls }) => calls === "unread");
  if (unread !== undefined)
    return stepOf([callOf("fs_read", fromRequest({ path: unread.path }), state.request)], state);
  const [only, ...others] = readings.filter(({ calls }) => calls !== undefined);
  if (only === undefined || typeof only.calls !== "object") return undefined;
  return others.length > 0 ? listFiles(searchResult) : stepOf(only.calls, state);
}

interface FoundLines {
  words: readonly string[];
  lines: readonly { path: string; text: string }[];
}

/** The lines with all the words, or those that share the most. */
function collectLines(outputs: Record<string, unknown>, askedWords: readonly string[]): FoundLines {
  const linesOf = (found: Record<string, unknown>): FoundLines["lines"] =>
    records(found, "matches").map((match) => ({
      path: textField(match, "path"),
      text: textField(match, "text"),
    }));
  // The search finds parts of words, too: "art" in "start".
  const exact = linesOf(outputs).filter(({ text }) => {
    const stems = new Set(plainWords(text).map(stem));
    return askedWords.every((word) => stems.has(stem(word)));
  });
  const near = outputs["nearest"];
  if (exact.length > 0 || !isRecord(near)) return { words: askedWords, lines: exact };
  const shared = new Set(Array.isArray(near["words"]) ? near["words"].map(String).map(stem) : []);
  return { words: askedWords.filter((word) => shared.has(stem(word))), lines: linesOf(near) };
}

/** Names the files whose lines have the words, each with the first of these lines. */
function listFiles({ words, lines }: FoundLines): PlannerDecision {
  const paths = [...new Set(lines.map(({ path }) => path))];
  const firsts = paths.map((path) => {
    const line = lines.find((candidate) => candidate.path === path)?.text ?? "";
    return `- ${escapeInline(path)}: ${escapeInline(linePreview(line))}`;
  });
  return {
    kind: "answer",
    thought: THOUGHTS.end,
    style: "strict",
    text: [sentences.severalFiles(words), firsts.join("\n")].join("\n\n"),
    suggestions: paths.slice(0, MAX_SUGGESTIONS).map((path) => `show ${path}`),
  };
}
