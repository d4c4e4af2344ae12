import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import { estimateTokens } from "@metahuman/core/contract/tokens";
import { fenceData } from "@metahuman/core/context/fenced";
import { stepSummary, observationText } from "../planners/model/messages.ts";
import { clipArgs } from "../planners/model/prompt-budget.ts";

/** The scratchpad as text within a token budget: the newest steps in full, the others as one line each. */
export function observedWithin(scratchpad: readonly ScratchpadEntry[], budgetTokens: number): string {
  const blocks: string[] = [];
  let left = budgetTokens;
  for (const entry of scratchpad.toReversed()) {
    const whole = `${stepLine(entry)}\n${observationText(entry)}`;
    const block = estimateTokens(whole) <= left ? whole : stepSummary(entry);
    left -= estimateTokens(block);
    blocks.unshift(block);
  }
  return blocks.join("\n\n");
}

function stepLine({ step, action }: ScratchpadEntry): string {
  return action
    ? `Step ${String(step)}: ${action.tool} ${fenceData(JSON.stringify(clipArgs(action.args)))}`
    : `Step ${String(step)}`;
}
