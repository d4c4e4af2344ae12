import type { PlanState } from "../planner.ts";

/** Forwards the pieces of an answer, and records whether there were any. */
export function watchedAnswerText(onAnswerText: PlanState["onAnswerText"]): {
  onAnswerText: (text: string, offset: number) => void;
  hasBegun: () => boolean;
} {
  let hasBegun = false;
  return {
    onAnswerText: (text, offset) => {
      hasBegun = true;
      onAnswerText?.(text, offset);
    },
    hasBegun: () => hasBegun,
  };
}
