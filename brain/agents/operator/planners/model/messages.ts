import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import type { ChatMessage } from "@metahuman/models/provider";
import { clipToTokens, shownArgs } from "./prompt-budget.ts";

export interface PromptParts {
  /** Rules and tool catalog: the same for every run with the same tools. */
  rules: string;
  /** Persona and context package; empty when there is none. */
  context: string;
  goal: string;
  scratchpad: readonly ScratchpadEntry[];
  /** What the whole prompt may cost, in tokens. */
  budgetTokens: number;
  /** How many of the last entries stay word for word. */
  keepVerbatim: number;
}

/**
 * The planning prompt, from what never changes to what changes each step, so that a server can reuse the work it did
 * for the step before: rules, context and goal, then one assistant/user pair per entry, only ever appended to. When the
 * budget forces it, the oldest entries are folded into one pair.
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
  const all = parts.scratchpad.map((entry) => entryPair(entry));
  if (tokensOf([...head, ...all.flat()]) <= parts.budgetTokens) return [...head, ...all.flat()];
  for (let kept = Math.min(parts.keepVerbatim, all.length - 1); kept > 0; kept -= 1) {
    const folded = [...head, ...fold(parts.scratchpad.slice(0, -kept)), ...all.slice(-kept).flat()];
    if (tokensOf(folded) <= parts.budgetTokens || kept === 1) return folded;
  }
  return [...head, ...all.flat()];
}

/** Tells the model in its last message when it may call nothing more, so that it ends by itself. */
export function withStepsLeft(
  messages: readonly ChatMessage[],
  stepsLeft: number | undefined,
): ChatMessage[] {
  const last = messages.at(-1);
  if (!last || stepsLeft === undefined || stepsLeft > 0) return [...messages];
  const note = "No step is left. Finish now with what was observed; say what could not be done.";
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${note}` }];
}

export function tokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + estimateTokens(content) + 4, 0);
}

function entryPair(entry: ScratchpadEntry): ChatMessage[] {
  const said = {
    thought: entry.thought,
    ...(entry.action && { action: { ...entry.action, args: shownArgs(entry.action.args) } }),
    ...(entry.functionId && { functionId: entry.functionId }),
  };
  return [
    { role: "assistant", content: JSON.stringify(said) },
    { role: "user", content: observationText(entry) },
  ];
}

export function observationText({ step, observation }: ScratchpadEntry): string {
  if (!observation) return `Observation ${String(step)}: none yet.`;
  if (observation.success) return `Observation ${String(step)}: ${observation.content}`;
  const advice = observation.error?.suggestions?.map((suggestion) => `\n- ${suggestion}`).join("") ?? "";
  return `Observation ${String(step)} (${observation.error?.code ?? "failed"}): ${observation.content}${advice === "" ? "" : `\nSuggestions:${advice}`}`;
}

/** One line: what was done and how it ended, without what it returned. */
export function inShort({ step, action, observation }: ScratchpadEntry): string {
  const end =
    observation?.success === true
      ? firstLine(observation.content)
      : `failed: ${observation?.error?.code ?? "no observation"}`;
  return `${String(step)}. ${action?.tool ?? "no action"} → ${end}`;
}

function fold(entries: readonly ScratchpadEntry[]): ChatMessage[] {
  return [
    {
      role: "assistant",
      content: JSON.stringify({ thought: `Steps 1 to ${String(entries.length)} are done.` }),
    },
    { role: "user", content: `Earlier observations in short:\n${entries.map(inShort).join("\n")}` },
  ];
}

const LINE_LENGTH = 160;

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line;
}
