import type { PlanState } from "../planner.ts";

/** Passes on the pieces of an answer, and remembers whether there were any. */
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
