import type { ErrorDetail } from "@metahuman/core/contract/problem";
import type { FunctionOffer, ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { AnswerPort } from "@metahuman/skills/ports";
import type { PlanState } from "../planner.ts";

/** The skill that writes answers. */
export const ANSWER_SKILL = "conversational_response";

/** The answer of a run. */
export interface Answer {
  text: string;
  style: ResponseStyle;
  verbatim: boolean;
  suggestions?: string[];
  offers?: FunctionOffer[];
  /** The text without unconfirmed claims, when it differs; only this part is remembered. */
  confirmed?: string;
  /** True when nothing was said or done, so that there is no exchange to remember. */
  isIdle?: boolean;
  /** Why no answer could be written although nothing was observed. The text states the reason. */
  error?: ErrorDetail;
}

export interface AnswerRequest {
  goal: string;
  /** A note by the planner; `""` for none. */
  context: string;
  style: ResponseStyle;
  scratchpad: readonly ScratchpadEntry[];
  /** The run as its planner sees it, for writers that use a model. */
  state: PlanState;
}

/** Writes the answer of a run. */
export interface AnswerWriter {
  /** Calls `onText` with each piece and its offset. Resolves to the whole text. */
  write(
    request: AnswerRequest,
    options: { signal: AbortSignal; onText: (text: string, offset: number) => void },
  ): Promise<string>;
}

/** The answer writer as a skill's port, bound to one run. */
export function answerWriterFor(
  writer: AnswerWriter,
  state: PlanState,
  onText: (text: string, offset: number) => void,
): AnswerPort {
  return {
    respond: (request, signal) =>
      writer.write({ ...request, scratchpad: state.scratchpad, state }, { signal, onText }),
  };
}
