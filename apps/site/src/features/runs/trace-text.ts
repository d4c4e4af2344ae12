import { firstLine, formatCount, truncate, uncapitalize } from "@metahuman/core/text/format";
import { copy } from "./copy.ts";
import type { Action, Run, RunOutcome, ScratchpadEntry, ObservationMode } from "@metahuman/core/contract/run";
import { describeDenied, describeDoing, describeDone, describeFailed } from "./call-phrases.ts";
import type { Todo } from "@metahuman/core/contract/todo";
import { formatDuration, runStatusLabel } from "../../lib/format/format.ts";

/** The number of steps of a run; a step is one call of a skill. */
export function countSteps(run: Run): number {
  return run.scratchpad.filter(({ action }) => action !== undefined).length;
}

/** The folded trace in one line: "2 steps · wrote out/sandwich.txt · 0.2 s". */
export function traceSummary(run: Run, steps: number): string {
  const parts = [steps === 0 ? copy.noStepsYet : formatCount(steps, "step")];
  const action = lastAction(run.scratchpad);
  if (action) parts.push(action);
  if (run.usage.durationMs > 0) parts.push(formatDuration(run.usage.durationMs));
  return parts.join(" · ");
}

/** The current activity of a run in progress. */
export function currentActivity(run: Run): string {
  const last = run.scratchpad.at(-1);
  if (run.status === "queued") return last ? copy.aboutToContinue : copy.waitingForRun;
  if (run.status === "waiting") return "Waiting for you";
  if (!last) return run.context ? "Step 1 · thinking" : copy.readingRequest;
  if (last.observation) return `Step ${last.step + 1} · thinking`;
  return `Step ${last.step} · ${last.action ? workOf(last, last.action) : "thinking"}`;
}

function workOf({ stages }: ScratchpadEntry, action: Action): string {
  const stage = stages?.at(-1);
  const doing = uncapitalize(describeDoing(action));
  return stage === undefined ? doing : `${doing}, ${stage.name}`;
}

/** The last thought of a run, if it only repeats the answer. */
export function repeatsAnswer({ action, thought }: ScratchpadEntry, answer: string | undefined): boolean {
  if (action !== undefined || answer === undefined) return false;
  const words = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim();
  return words(thought) !== "" && words(answer).includes(words(thought));
}

function lastAction(scratchpad: readonly ScratchpadEntry[]): string | undefined {
  const calls = scratchpad.filter(
    ({ action, observation }) => action !== undefined && observation !== undefined,
  );
  // The answer is shown below.
  const done = calls.findLast(({ action }) => action?.tool !== "conversational_response") ?? calls.at(-1);
  if (!done?.action || !done.observation) return undefined;
  const { action, observation } = done;
  if (observation.error?.code === "APPROVAL_DENIED") return uncapitalize(describeDenied(action));
  if (!observation.success) return uncapitalize(describeFailed(action));
  const sentence = truncate(firstLine(observation.content), 64).replace(/\.$/, "");
  const isSentence =
    observation.mode === "narrative" && action.tool !== "conversational_response" && !MARKDOWN.test(sentence);
  return uncapitalize(isSentence ? sentence : withCount(action, observation.outputs ?? {}));
}

/** The start of a Markdown line that is not a sentence: a heading, list, table, quotation or code. */
const MARKDOWN = /^(?:#|[-*+>|]|\d+\.\s|`{3})/u;

/** The action of a call and the number of its results, for calls whose text is a table or the content of a file. */
export function withCount(action: Action, { total }: Record<string, unknown>): string {
  const done = describeDone(action);
  return typeof total === "number" ? `${done}: ${formatCount(total, "result")}` : done;
}

/** An item that a run deleted or overwrote, which can be restored. */
export interface Archived {
  id: string;
  title: string;
  /** Whether something else is at its path now. */
  isReplaced: boolean;
  /** What the calls returned that archived it or changed it further, in their order. */
  calls: readonly Readonly<Record<string, unknown>>[];
}

/** The items that a run deleted or overwrote. Of a file that it changed several times, only the text before the run. */
export function archivedItems({ scratchpad }: Pick<Run, "scratchpad">): Archived[] {
  const items: Archived[] = [];
  for (const { observation } of scratchpad) {
    const outputs = observation?.success === true ? observation.outputs : undefined;
    const isReplaced = outputs?.["removed"] === undefined;
    const entry = isReplaced ? outputs?.["archived"] : outputs["removed"];
    if (!outputs || typeof entry !== "object" || entry === null) continue;
    if (!("id" in entry) || typeof entry.id !== "string") continue;
    const title = "title" in entry && typeof entry.title === "string" ? entry.title : "it";
    const changed = items.findIndex(
      ({ isReplaced: wasReplaced, calls }) =>
        isReplaced &&
        wasReplaced &&
        typeof outputs["path"] === "string" &&
        calls[0]?.["path"] === outputs["path"],
    );
    const earlier = items[changed];
    if (earlier) items[changed] = { ...earlier, calls: [...earlier.calls, outputs] };
    else items.push({ id: entry.id, title, isReplaced, calls: [outputs] });
  }
  return items;
}

/** The latest checklist of a run; empty for a run without one. */
export function latestTodos({ scratchpad }: Pick<Run, "scratchpad">): Todo[] {
  const last = scratchpad.findLast(
    ({ action, observation }) => action?.tool === "write_todos" && observation?.success === true,
  );
  const todos: unknown = last?.observation?.outputs?.["todos"];
  return Array.isArray(todos) && todos.every(isTodo) ? todos : [];
}

function isTodo(value: unknown): value is Todo {
  return (
    typeof value === "object" &&
    value !== null &&
    "text" in value &&
    typeof value.text === "string" &&
    "status" in value &&
    (value.status === "todo" || value.status === "in_progress" || value.status === "done")
  );
}

/** A sentence for screen readers: the outcome of a run, or what it waits for. */
export function announcementFor(run: Run): string {
  if (run.pending?.kind === "question") return run.pending.question;
  if (run.pending?.kind === "approval") return copy.waitsForDecision(run.pending.title);
  if (run.result) return `Answer: ${truncate(firstLine(run.result), 300)}`;
  return copy.runEnded(run.error?.message ?? runStatusLabel(run));
}

/** The ways to show the outcome of a step. */
export const OBSERVATION_MODES: readonly { value: ObservationMode; label: string }[] = [
  { value: "narrative", label: "Narrative" },
  { value: "structured", label: "Structured" },
  { value: "verbatim", label: "Verbatim" },
];

/** The skills whose results name memories and functions. */
const NAMING = new Set(["memory_search", "function_register", "function_curate"]);

/** Whether a run may have functions or memories to name. */
export const mayNameSources = ({ functionsUsed, learnedFunction, usage, scratchpad }: Run): boolean =>
  functionsUsed.length > 0 ||
  learnedFunction !== undefined ||
  usage.modelCalls > 0 ||
  scratchpad.some(({ action }) => action !== undefined && NAMING.has(action.tool));

/** Whether a run has to say more than its answer: warnings, a denied call, or an end without an answer. */
export function hasOutcomeToTell(run: Run): boolean {
  return run.warnings.length > 0 || endedWithoutAnswer(run) !== undefined || hasDeniedCall(run);
}

/** How a run ended without an answer; undefined for one that answered or goes on. */
export function endedWithoutAnswer({
  status,
  outcome,
}: Pick<Run, "status" | "outcome">): Exclude<RunOutcome, "answered"> | "interrupted" | undefined {
  if (status === "interrupted") return "interrupted";
  return outcome === "answered" ? undefined : outcome;
}

/** Whether the rules denied a call of a run. */
export const hasDeniedCall = ({ scratchpad }: Pick<Run, "scratchpad">): boolean =>
  scratchpad.some(({ observation }) => observation?.error?.code === "POLICY_DENIED");
