import type { ResponseStyle, ScratchpadEntry } from "@metahuman/core/contract/run";
import type { AnswerPort } from "@metahuman/skills/ports";
import type { PlanState } from "../planner.ts";

/** The skill that words answers. */
export const ANSWER_SKILL = "conversational_response";

export interface AnswerRequest {
  goal: string;
  /** What else to keep in mind: a planner's note, or nothing. */
  context: string;
  style: ResponseStyle;
  scratchpad: readonly ScratchpadEntry[];
  /** The run as its planner sees it: persona, memories, earlier turns; for wordings that use a model. */
  state: PlanState;
}

/** Words the answer of a run. */
export interface AnswerWriter {
  /** `grew` is told each piece of the text as it comes; what it returns is the whole text. */
  word(
    request: AnswerRequest,
    options: { signal: AbortSignal; grew: (text: string, offset: number) => void },
  ): Promise<string>;
}

/** The wording as the port that skills know, bound to one run and to whoever watches its answer grow. */
export function answerWriterFor(
  wording: AnswerWriter,
  state: PlanState,
  grew: (text: string, offset: number) => void,
): AnswerPort {
  return {
    respond: (request, signal) =>
      wording.word({ ...request, scratchpad: state.scratchpad, state }, { signal, grew }),
  };
}
