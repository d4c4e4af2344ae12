import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState, Step } from "../../planner.ts";
import { expandPlan } from "./expand.ts";
import { ASK_SKILL, type CallToMake, follow } from "./follow.ts";
import { completeFromFunctions } from "./guided.ts";
import { actingThought, askingThought, quote, sentences, THOUGHTS } from "./phrasing.ts";
import { report } from "./report.ts";
import type { Question } from "./resolve.ts";

/** The next move of a plan. `repeats` is the earlier request that the plan repeats. */
export function stepOf(
  planned: readonly PlannedCall[],
  { scratchpad, skills, deniedSkills, context, timeZone, locale }: PlanState,
  repeats?: string,
  remarks: readonly string[] = [],
  assumed: readonly string[] = [],
): PlannerDecision {
  const { calls: first, followed } = completeFromFunctions(planned, context?.relevantFunctions ?? [], skills);
  const calls = expandPlan(first, scratchpad, skills, deniedSkills);
  const position = follow(calls, scratchpad, skills);
  switch (position.kind) {
    case "act": {
      const step = ({ call, action }: CallToMake, taken?: string): Step => {
        const skill = skills.find((candidate) => candidate.id === call.skill);
        const guide = followed.get(call);
        const thought = actingThought(call, skill, action, taken);
        if (!guide) return { thought, action };
        const guidedThought = `${thought} What was left out is done as in ${quote(guide.title)}.`;
        return { thought: guidedThought, action, functionId: guide.id };
      };
      const parallel = position.parallel.map((one) => step(one));
      return { kind: "act", ...step(position, position.taken), ...(parallel.length > 0 && { parallel }) };
    }
    case "ask":
      return ask(position.question, askingThought(position.call, position.question));
    case "end": {
      const reported = report(position.outcomes, skills, { timeZone, locale });
      const remarksBefore = [
        ...assumed,
        ...assumptionsOf(calls, reported.text, repeats),
        ...remarks.map(sentences.remark),
      ];
      const text = [...remarksBefore, reported.text].join("\n\n");
      const verbatim = reported.verbatim && remarksBefore.length === 0;
      return {
        kind: "answer",
        thought: THOUGHTS.end,
        style: "strict",
        text,
        verbatim,
        outcome: reported.outcome,
        isUnanswered: reported.isUnanswered,
        suggestions: reported.suggestions,
      };
    }
    default:
      return position satisfies never;
  }
}

/**
 * Assumptions from the conversation that the answer does not show: the meaning of "it", and the request that was
 * repeated.
 */
function assumptionsOf(calls: readonly PlannedCall[], text: string, repeats: string | undefined): string[] {
  const meant = new Map<string, string[]>();
  const unnamed = new Set<string>();
  for (const { args, clause } of calls) {
    for (const value of Object.values(args)) {
      const [only, ...others] = value.from === "earlier" ? value.candidates : [];
      if (value.from !== "earlier" || only === undefined || others.length > 0 || text.includes(only.label))
        continue;
      // "Which rows are over 100?" has no word for the table that it is about.
      if (value.mention === clause) unnamed.add(only.label);
      else meant.set(value.mention, [...(meant.get(value.mention) ?? []), only.label]);
    }
  }
  return [
    ...(repeats === undefined ? [] : [sentences.repeated(repeats)]),
    ...(unnamed.size === 0 ? [] : [sentences.about([...unnamed])]),
    ...[...meant].map(([words, labels]) => sentences.meant(words, labels)),
  ];
}

/** Asks the person a question, and goes on with the answer. */
export function ask({ question, options }: Question, thought: string): PlannerDecision {
  return { kind: "act", thought, action: { tool: ASK_SKILL, args: { question, options: [...options] } } };
}

/** True for the answer of a run that did not do what was asked. */
export const isStuck = (decision: PlannerDecision): boolean =>
  decision.kind === "answer" && decision.outcome === "stuck";

/** True if the person denied a step: then nothing else is tried. */
export const wasDenied = ({ scratchpad }: Pick<PlanState, "scratchpad">): boolean =>
  scratchpad.some(({ observation }) => observation?.error?.code === "APPROVAL_DENIED");
