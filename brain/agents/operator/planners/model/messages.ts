import { ContextSectionName } from "@metahuman/core/contract/context";
import type { ErrorCode } from "@metahuman/core/contract/problem";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { TODO_SKILL, TodoList } from "@metahuman/core/contract/todo";
import { clipToTokens, estimateTokens } from "@metahuman/core/contract/tokens";
import { fenceData, escapeDataTags } from "@metahuman/core/context/fenced";
import {
  contextSections,
  formatContextForPrompt,
  formatConversation,
} from "@metahuman/core/context/format-context-for-prompt";
import type { PromptSection } from "@metahuman/core/contract/model-call";
import { firstLine, formatCount, truncate, oneLine } from "@metahuman/core/text/format";
import type { ChatMessage } from "@metahuman/models/provider";
import type { PlanState } from "../../planner.ts";
import { ASK_SKILL } from "../built-in/follow.ts";
import { ANSWER_SKILL } from "../../answer/answer-writer.ts";
import { earlierResults } from "./planner-context.ts";
import { argsForPrompt } from "./prompt-budget.ts";

export interface PromptParts {
  /** Rules and tool catalog; identical for every run with the same tools. */
  rules: string;
  /** Persona and context package; empty when there is none. */
  context: string;
  goal: string;
  scratchpad: readonly ScratchpadEntry[];
  /** The answer that the review rejected. */
  rejectedAnswer?: string | undefined;
  /** The token budget of the whole prompt. */
  budgetTokens: number;
  /** How many of the last entries stay verbatim. */
  keepVerbatim: number;
}

/**
 * The planning prompt, ordered from stable to changing parts, so that a server can reuse its prefix cache: rules, context
 * and goal, then one assistant/user pair per entry. Entries are only appended. If the prompt exceeds the budget, the oldest
 * entries are folded into one pair.
 */
export function planningMessages(parts: PromptParts): ChatMessage[] {
  const goal = clipToTokens(parts.goal, Math.floor(parts.budgetTokens / 3));
  const head: ChatMessage[] = [
    { role: "system", content: parts.rules },
    {
      role: "user",
      content: parts.context === "" ? `Request: ${goal}` : `${parts.context}\n\nRequest: ${goal}`,
    },
  ];
  // The step that ended the run with an answer is told by the review of this answer.
  const scratchpad = parts.scratchpad.filter(({ action, observation }) => action ?? observation);
  const all = scratchpad.map((entry, index) => {
    // The previous step already contains the answer.
    const hasAnswer = scratchpad[index - 1]?.action?.tool === ANSWER_SKILL;
    return entryPair(entry, hasAnswer ? undefined : parts.rejectedAnswer);
  });
  if (tokensOf([...head, ...all.flat()]) <= parts.budgetTokens) return [...head, ...all.flat()];
  for (let verbatim = Math.min(parts.keepVerbatim, all.length - 1); verbatim > 0; verbatim -= 1) {
    const folded = [...head, ...fold(scratchpad.slice(0, -verbatim)), ...all.slice(-verbatim).flat()];
    if (tokensOf(folded) <= parts.budgetTokens || verbatim === 1) return folded;
  }
  return [...head, ...all.flat()];
}

/**
 * Adds the parts that change with each call to the last message, so that the prefix stays the same: time, time zone,
 * workspace, steps left. Adds `noStepLeft` when no further call is allowed.
 */
export function appendSituation(
  messages: readonly ChatMessage[],
  state: PlanState,
  noStepLeft: string,
): ChatMessage[] {
  const last = messages.at(-1);
  if (!last) return [];
  const { stepsLeft } = state;
  const workspace = workspaceLine(state);
  const facts = [
    `Now: ${momentFor(state)}`,
    ...(workspace === "" ? [] : [workspace]),
    ...(stepsLeft === undefined || stepsLeft <= 0 ? [] : [`${formatCount(stepsLeft, "step")} left`]),
  ];
  const note = `(${facts.join(". ")}.)`;
  const content = [last.content, note, ...(stepsLeft !== undefined && stepsLeft <= 0 ? [noStepLeft] : [])];
  return [...messages.slice(0, -1), { ...last, content: content.join("\n\n") }];
}

/** The workspace's roots with their entry counts, as the planner is told of them; `""` when they were not counted. */
export function workspaceLine({ workspace = [] }: Pick<PlanState, "workspace">): string {
  const roots = workspace.map(({ root, entries }) => `${root}/ (${formatCount(entries, "entry")})`);
  return roots.length === 0 ? "" : `Workspace: ${roots.join(", ")}`;
}

/**
 * The prompt for an answer, ordered from stable to changing parts, so that a server can reuse its prefix cache: rules and
 * persona, the conversation as turns, then the rest of the context, the request and the texts of `about`. If the prompt
 * exceeds the budget, the oldest turns are left out.
 */
export function conversationMessages(
  state: PlanState,
  parts: {
    rules: string;
    /** The sections of the context to leave out. */
    without: readonly ContextSectionName[];
    budgetTokens: number;
    about?: readonly string[];
  },
): ChatMessage[] {
  const { context, conversation, request } = state;
  const { summary, taskContext } = conversation;
  const inContext = (without: readonly ContextSectionName[]): string =>
    context ? formatContextForPrompt(context, { timeZone: state.timeZone, without }) : "";
  const known = [
    parts.rules,
    inContext(ContextSectionName.options.filter((name) => name !== "persona")),
    summary === undefined ? "" : `Earlier in this conversation, in short: ${fenceData(summary)}`,
    taskContext === undefined ? "" : `The request continues from: ${fenceData(taskContext)}`,
  ];
  const clippedRequest = clipToTokens(request, Math.floor(parts.budgetTokens / 3));
  const forThisRequest = inContext([...parts.without, "persona", "conversation"]);
  const about = [forThisRequest, ...(parts.about ?? [])].filter((text) => text !== "");
  const content = [
    about.length === 0 ? clippedRequest : `Request: ${clippedRequest}`,
    ...about,
    `(Now: ${momentFor(state)}.)`,
  ];
  const head: ChatMessage = { role: "system", content: known.filter((text) => text !== "").join("\n\n") };
  const last: ChatMessage = { role: "user", content: content.join("\n\n") };
  const turns: ChatMessage[] = [];
  let left = parts.budgetTokens - tokensOf([head, last]);
  for (const { role, text, outcome } of conversation.turns.toReversed()) {
    const ended = outcome === undefined ? "" : ` (The run ended ${outcome}.)`;
    const turn: ChatMessage = { role: role === "person" ? "user" : "assistant", content: `${text}${ended}` };
    left -= tokensOf([turn]);
    if (left < 0) break;
    turns.unshift(turn);
  }
  return [head, ...turns, last];
}

/**
 * The tokens of each section of a planning prompt: rules, catalog, context sections, request, and the steps, which are the
 * messages after the first two. Empty sections are left out.
 */
export function promptSections(
  state: Pick<PlanState, "context" | "conversation" | "request" | "earlierCalls" | "skills">,
  prompted: { rulesTokens: number; catalogTokens: number; messages: readonly ChatMessage[] },
): PromptSection[] {
  const { context, conversation, request } = state;
  const results = estimateTokens(earlierResults(state));
  const known = context
    ? contextSections(context, conversation)
        .filter(({ name }) => name !== "tools" || results === 0)
        .map(({ name, tokens }) => ({ name, tokens }))
    : [{ name: "conversation", tokens: estimateTokens(formatConversation(conversation)) }];
  return [
    { name: "rules", tokens: prompted.rulesTokens },
    { name: "catalog", tokens: prompted.catalogTokens },
    ...known,
    { name: "tools", tokens: results },
    { name: "request", tokens: estimateTokens(request) },
    { name: "steps", tokens: tokensOf(prompted.messages.slice(2)) },
  ].filter(({ tokens }) => tokens > 0);
}

/** A run that waited this long for the person is told when the request was made, in milliseconds. */
const LONG_WAIT_MS = 60 * 60_000;

/**
 * The local time now: "Sunday 2026-11-22 19:05, Europe/Berlin, de-DE"; after a long wait also that of the request, from which
 * its relative days count.
 */
export function momentFor({
  requestedAt,
  now = requestedAt,
  timeZone,
  locale,
}: Pick<PlanState, "requestedAt" | "now" | "timeZone" | "locale">): string {
  const moment = `${localTime(now, timeZone)}, ${timeZone}, ${locale}`;
  return now.getTime() - requestedAt.getTime() < LONG_WAIT_MS
    ? moment
    : `${moment}. Requested: ${localTime(requestedAt, timeZone)}; words such as "tomorrow" in the request count from then`;
}

function localTime(at: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? "";
  const day = `${part("year")}-${part("month")}-${part("day")}`;
  return `${part("weekday")} ${day} ${part("hour")}:${part("minute")}`;
}

export function tokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content) + 4, 0);
}

function entryPair(entry: ScratchpadEntry, rejectedAnswer: string | undefined): ChatMessage[] {
  const replyText = {
    thought: entry.thought,
    ...(!entry.action && rejectedAnswer !== undefined && { respond: true, answer: rejectedAnswer }),
    ...(entry.action && {
      action: { ...entry.action, args: argsForPrompt(entry.action, entry.observation) },
    }),
    ...(entry.functionId && { functionId: entry.functionId }),
  };
  return [
    { role: "assistant", content: JSON.stringify(replyText) },
    { role: "user", content: observationText(entry) },
  ];
}

/**
 * An observation as text for a prompt. It is marked as data, because files, task titles, memories, programs and even
 * error messages may contain text of others. Only texts of the operator and the person are outside the marks.
 */
export function observationText(entry: ScratchpadEntry): string {
  const { step, observation } = entry;
  if (!observation) return `Observation ${String(step)}: none yet.`;
  const format = isOwnWord(entry) ? escapeDataTags : fenceData;
  if (observation.success) return `Observation ${String(step)}: ${format(observation.content)}`;
  const advice = observation.error?.suggestions?.map((suggestion) => `\n- ${suggestion}`).join("") ?? "";
  const failure = advice === "" ? observation.content : `${observation.content}\nSuggestions:${advice}`;
  return `Observation ${String(step)} (${observation.error?.code ?? "failed"}): ${format(failure)}`;
}

/** Errors whose messages the operator wrote. */
const OWN_FAILURES: ReadonlySet<string> = new Set<ErrorCode>(["LOOP_DETECTED", "APPROVAL_DENIED"]);

/** True for texts of the operator about its run, and for answers of the person. */
function isOwnWord({ action, observation }: ScratchpadEntry): boolean {
  if (!action) return true;
  if (observation?.success === true) return action.tool === ASK_SKILL;
  return OWN_FAILURES.has(observation?.error?.code ?? "");
}

/** One line with the call and its outcome, without its output. */
export function stepSummary(entry: ScratchpadEntry): string {
  const { step, action, observation } = entry;
  const format = isOwnWord(entry) ? escapeDataTags : fenceData;
  const end =
    observation?.success === true
      ? format(truncate(firstLine(observation.content), LINE_LENGTH))
      : `failed: ${observation?.error?.code ?? "no observation"}`;
  return `${String(step)}. ${action?.tool ?? "no action"} → ${end}`;
}

function fold(entries: readonly ScratchpadEntry[]): ChatMessage[] {
  return [
    {
      role: "assistant",
      content: JSON.stringify({ thought: `Steps 1 to ${String(entries.length)} are done.` }),
    },
    {
      role: "user",
      content: [
        `Earlier observations in short:\n${entries.map(stepSummary).join("\n")}`,
        ...checklistIn(entries),
      ].join("\n\n"),
    },
  ];
}

/** The last checklist of these entries in full, because the planner works through it until the end. */
function checklistIn(entries: readonly ScratchpadEntry[]): string[] {
  const last = entries.findLast(
    ({ action, observation }) => action?.tool === TODO_SKILL && observation?.success === true,
  );
  const { todos = [] } = TodoList.safeParse(last?.observation?.outputs).data ?? {};
  if (todos.length === 0) return [];
  return [
    `Checklist:\n${todos.map(({ text, status }) => `- ${status}: ${fenceData(oneLine(text))}`).join("\n")}`,
  ];
}

const LINE_LENGTH = 160;
