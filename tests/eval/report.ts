import { successBound } from "@metahuman/core/functions/upkeep/success-bound";
import type { AskingResult, TaskResult } from "./evaluate.ts";
import type { Phase } from "./task-schema.ts";

/** A share of right results with its 95 % Wilson interval. */
export interface Share {
  right: number;
  of: number;
  low: number;
  high: number;
}

/** The results of some tasks. Calls, tokens and time are means per request. */
export interface Summary {
  tasks: number;
  success: Share;
  first: Share;
  again: Share;
  nearMiss: Share;
  planningCalls: number;
  modelCalls: number;
  promptTokens: number;
  completionTokens: number;
  seconds: number;
  lessons: number;
  promoted: number;
  replays: number;
  wrongReplays: number;
  inventions: number;
  overBudget: number;
}

export interface Report {
  at: string;
  version: string;
  commit: string;
  model: string;
  settings: Record<string, unknown>;
  overall: Summary;
  byKind: Record<string, Summary>;
  tasks: TaskResult[];
  /** Why not all tasks were executed. */
  problem?: string;
}

export function summarize(results: readonly TaskResult[]): Summary {
  const askings = results.flatMap((result) => result.askings);
  const lessons = results.flatMap(({ lesson }) => lesson ?? []);
  const mean = (value: (asking: AskingResult) => number): number =>
    askings.reduce((sum, asking) => sum + value(asking), 0) / Math.max(1, askings.length);
  const of = (phase: Phase): Share => shareOf(askings.filter((asking) => asking.phase === phase));
  return {
    tasks: results.length,
    success: shareOf(askings),
    first: of("first"),
    again: of("again"),
    nearMiss: of("nearMiss"),
    planningCalls: mean(({ usage }) => usage.planningCalls),
    modelCalls: mean(({ usage }) => usage.modelCalls),
    promptTokens: mean(({ usage }) => usage.promptTokens),
    completionTokens: mean(({ usage }) => usage.completionTokens),
    seconds: mean(({ usage }) => usage.durationMs) / 1_000,
    lessons: lessons.length,
    promoted: lessons.filter(({ isPromoted }) => isPromoted).length,
    replays: askings.filter(({ isReplay }) => isReplay).length,
    wrongReplays: askings.filter(({ isReplay, isRight }) => isReplay && !isRight).length,
    inventions: askings.reduce((sum, { inventions }) => sum + inventions, 0),
    overBudget: askings.filter(({ isOverBudget }) => isOverBudget).length,
  };
}

function shareOf(askings: readonly AskingResult[]): Share {
  const right = askings.filter(({ isRight }) => isRight).length;
  const of = askings.length;
  return {
    right,
    of,
    low: successBound({ successes: right, executions: of }),
    high: 1 - successBound({ successes: of - right, executions: of }),
  };
}

export function summarizeByKind(results: readonly TaskResult[]): Record<string, Summary> {
  const byKind = Object.groupBy(results, ({ kind }) => kind);
  return Object.fromEntries(Object.entries(byKind).map(([kind, some]) => [kind, summarize(some)]));
}

const COLUMNS: [string, (summary: Summary) => string][] = [
  ["first", ({ first }) => ratio(first)],
  ["again", ({ again }) => ratio(again)],
  ["near miss", ({ nearMiss }) => ratio(nearMiss)],
  ["planning", ({ planningCalls }) => planningCalls.toFixed(1)],
  ["calls", ({ modelCalls }) => modelCalls.toFixed(1)],
  ["prompt", ({ promptTokens }) => promptTokens.toFixed(0)],
  ["completion", ({ completionTokens }) => completionTokens.toFixed(0)],
  ["replays", ({ replays }) => String(replays)],
  ["wrong", ({ wrongReplays }) => String(wrongReplays)],
  ["invented", ({ inventions }) => String(inventions)],
  ["seconds", ({ seconds }) => seconds.toFixed(1)],
];

/** Formats the printed table: one line per kind and one for all. */
export function tableOf({ model, settings, overall, byKind }: Report): string {
  const line = (name: string, cells: string[]): string =>
    name.padEnd(16) + cells.map((cell) => cell.padStart(11)).join("");
  const row = (name: string, summary: Summary): string =>
    line(
      name,
      COLUMNS.map(([, cell]) => cell(summary)),
    );
  return [
    `${model}, ${String(settings["mode"])}, ${String(overall.tasks)} tasks. Calls, tokens and seconds are means per request.`,
    "",
    line(
      "",
      COLUMNS.map(([name]) => name),
    ),
    ...Object.entries(byKind).map(([kind, summary]) => row(kind, summary)),
    row("all", overall),
    "",
    `Right: ${percent(overall.success)} of all requests; first ${percent(overall.first)}, again ${percent(overall.again)}, near misses ${percent(overall.nearMiss)} (95 % Wilson interval).`,
    `Learned ${String(overall.lessons)} functions, ${String(overall.promoted)} promoted; ${String(overall.overBudget)} requests took more steps than they should.`,
  ].join("\n");
}

/** Formats the result of one task as a line. */
export function progressOf({ id, askings, lesson }: TaskResult): string {
  const marks = askings.map(({ phase, isRight, isReplay, problem }) => {
    const name = phase === "nearMiss" ? "near miss" : phase;
    return `${name} ${isRight ? "right" : "WRONG"}${isReplay ? " (replayed)" : ""}${problem === undefined ? "" : ` (${problem})`}`;
  });
  const learned = lesson ? `; learned a ${lesson.kind}${lesson.isPromoted ? "" : ", not promoted"}` : "";
  return `${id}: ${marks.join(", ")}${learned}`;
}

function ratio({ right, of }: Share): string {
  return `${String(right)}/${String(of)}`;
}

function percent({ right, of, low, high }: Share): string {
  const rounded = (share: number): string => (share * 100).toFixed(0);
  return `${rounded(right / Math.max(1, of))} % (${rounded(low)}–${rounded(high)})`;
}
