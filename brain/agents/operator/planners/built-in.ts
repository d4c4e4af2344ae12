import { chosenOption } from "@metahuman/core/language/choose";
import type { SkillSpeech } from "@metahuman/core/language/phrase";
import type { PlannedCall, Reading } from "@metahuman/core/language/plan";
import { readRequest } from "@metahuman/core/language/read-request";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillSpeech } from "@metahuman/skills/speech";
import type { Move, Planner, PlanState } from "../planner.ts";
import { wordedAnswer } from "./built-in/answers.ts";
import { answerIn, ASK_SKILL, follow } from "./built-in/follow.ts";
import { guided } from "./built-in/guided.ts";
import { report } from "./built-in/report.ts";
import type { Question } from "./built-in/resolve.ts";
import { askingThought, actingThought, planLabels, quoted, sentences, THOUGHTS } from "./built-in/wording.ts";

/**
 * Plans with the grammar of the installed skills' phrases; no model is asked. It reads the request anew at every step,
 * which always gives the same plan, and finds its place in it from the scratchpad: so it may come in the middle of a run
 * and go on with one that was broken off.
 */
export function createBuiltInPlanner(): Planner {
  return {
    name: "built-in",
    async next(state) {
      return nextMove(readingOf(state), state);
    },
  };
}

/** One speech for one list of skills: what the grammar is compiled from is remembered by it. */
const speeches = new WeakMap<readonly Skill[], readonly SkillSpeech[]>();

/** What the grammar knows of these skills. */
export function speechOf(skills: readonly Skill[]): readonly SkillSpeech[] {
  const known = speeches.get(skills) ?? skills.map(skillSpeech);
  speeches.set(skills, known);
  return known;
}

/** What a request means to the built-in planner, with the skills it may call. */
export function readingOf({
  request,
  requestedAt,
  skills,
}: Pick<PlanState, "request" | "requestedAt" | "skills">): Reading {
  return readRequest(request, speechOf(skills), { now: requestedAt });
}

function nextMove(reading: Reading, state: PlanState): Move {
  switch (reading.kind) {
    case "plan":
      return stepOf(reading.calls, state);
    case "ambiguous":
      return chosenPlan(reading.plans, state);
    case "small-talk":
    case "empty":
    case "refrain":
    case "capabilities":
    case "not-understood": {
      const text = wordedAnswer(reading, state.skills);
      return { kind: "answer", thought: THOUGHTS[reading.kind], style: "default", text };
    }
    default:
      return reading satisfies never;
  }
}

/** The next move of a plan. */
function stepOf(planned: readonly PlannedCall[], { scratchpad, skills, context }: PlanState): Move {
  const { calls, followed } = guided(planned, context?.relevantFunctions ?? [], skills);
  const position = follow(calls, scratchpad, skills);
  switch (position.kind) {
    case "act": {
      const { call, action, taken } = position;
      const skill = skills.find((candidate) => candidate.id === call.skill);
      const guide = followed.get(call);
      const thought = actingThought(call, skill, action, taken);
      if (!guide) return { kind: "act", thought, action };
      const said = `${thought} What was left out is done as in ${quoted(guide.title)}.`;
      return { kind: "act", thought: said, action, functionId: guide.id };
    }
    case "ask":
      return ask(position.question, askingThought(position.call));
    case "end": {
      const { text, verbatim, outcome } = report(position.outcomes, skills);
      return { kind: "answer", thought: THOUGHTS.end, style: "strict", text, verbatim, outcome };
    }
    default:
      return position satisfies never;
  }
}

/** Asks which of several plans is meant, then follows that one. */
function chosenPlan(plans: readonly PlannedCall[][], state: PlanState): Move {
  const options = planLabels(plans, state.skills);
  let question: Question = { question: sentences.whichPlan, options };
  for (let asked = 0; asked < 2; asked++) {
    const reply = answerIn(state.scratchpad)(question);
    if (reply === undefined) return ask(question, THOUGHTS.ambiguous);
    const chosen = chosenOption(reply, options);
    const plan = typeof chosen === "number" ? plans[chosen] : undefined;
    if (plan !== undefined) return stepOf(plan, state);
    if (chosen === "none") break;
    question = { question: sentences.notAnOption(reply, sentences.whichPlan), options };
  }
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.noneChosen };
}

function ask({ question, options }: Question, thought: string): Move {
  return { kind: "act", thought, action: { tool: ASK_SKILL, args: { question, options: [...options] } } };
}
