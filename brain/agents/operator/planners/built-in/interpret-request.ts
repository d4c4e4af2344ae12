import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { SkillGrammar } from "@metahuman/core/language/grammar/phrase";
import type { Interpretation, PlannedCall } from "@metahuman/core/language/grammar/plan";
import { readRequest } from "@metahuman/core/language/read-request";
import type { EarlierRequest } from "@metahuman/core/language/references/earlier-calls";
import type { Skill } from "@metahuman/skills/define-skill";
import { skillGrammar } from "@metahuman/skills/skill-card";
import type { PlanState } from "../../planner.ts";
import { answerIn } from "./follow.ts";

/** One list of grammars for each list of skills, because the compiled grammar is stored by that list. */
const listsOfGrammars = new WeakMap<readonly Skill[], readonly SkillGrammar[]>();

/** The grammars of the skills; the same list for the same skills. */
export function grammarsOf(skills: readonly Skill[]): readonly SkillGrammar[] {
  const known = listsOfGrammars.get(skills) ?? skills.map(skillGrammar);
  listsOfGrammars.set(skills, known);
  return known;
}

/** A request with the data that its interpretation needs. */
export interface PlannedRequest {
  request: string;
  requestedAt: Date;
  timeZone: string;
  /** The skills that may be called. */
  skills: readonly Skill[];
  /** Earlier requests of the conversation, newest first; loaded only if the request refers to them. */
  earlier?: () => Promise<readonly EarlierRequest[]>;
}

/** The interpretation of a request without the conversation. */
export function interpretAlone({
  request,
  requestedAt,
  timeZone,
  skills,
}: Omit<PlannedRequest, "earlier">): Interpretation {
  return readRequest(request, grammarsOf(skills), { now: requestedAt, timeZone });
}

/** The interpretation of a request by the built-in planner; `alone` is the one without the conversation, if it is known. */
export async function interpretRequest(
  { earlier, ...asked }: PlannedRequest,
  alone: Interpretation = interpretAlone(asked),
): Promise<Interpretation> {
  if (earlier === undefined || !mayReferToEarlier(alone)) return alone;
  const { request, requestedAt, timeZone, skills } = asked;
  const skillGrammars = grammarsOf(skills);
  return readRequest(request, skillGrammars, { now: requestedAt, timeZone, earlier: await earlier() });
}

/** True if earlier requests may complete the request: a correction, an answer, "it", "undo that". */
function mayReferToEarlier(alone: Interpretation): boolean {
  switch (alone.kind) {
    case "not-understood":
    case "refrain":
      return true;
    case "small-talk":
      return alone.topic === "undo";
    case "plan":
      return alone.calls.some(({ args }) => Object.values(args).some(({ from }) => from === "answer"));
    case "ambiguous":
    case "empty":
    case "clock":
    case "capabilities":
      return false;
    default:
      return alone satisfies never;
  }
}

/** The texts between a request and the words that it left out: "remind me" and "water the roses tomorrow". */
const JOINTS = [" to ", ": ", " "];

/**
 * Reads the answers to questions for words like the rest of their requests: "remind me", answered with "water the roses
 * tomorrow at 9", is a reminder with a date. Other calls stay as they are, and an answer in quotation marks is taken word by
 * word.
 */
export function withAnswerRead(calls: readonly PlannedCall[], state: PlanState): readonly PlannedCall[] {
  return calls.map((call) => answeredCall(call, state) ?? call);
}

function answeredCall(call: PlannedCall, state: PlanState): PlannedCall | undefined {
  const [[, asked] = [], ...others] = Object.entries(call.args).filter(([, { from }]) => from === "answer");
  if (asked?.from !== "answer" || asked.within !== undefined || others.length > 0) return undefined;
  const answer = answerIn(state.scratchpad)({ question: asked.question, options: [] })?.trim();
  if (answer === undefined || optionFromReply(answer, []) === "none" || /^["“']/u.test(answer))
    return undefined;
  const clause = call.clause.replace(/[\s.:!?…]+$/u, "");
  for (const joint of JOINTS) {
    const reading = interpretAlone({ ...state, request: `${clause}${joint}${answer}` });
    const [only, ...more] = reading.kind === "plan" ? reading.calls : [];
    const [free = "", ...otherTexts] = only?.freeText ?? [];
    const value = only?.args[free];
    // Another skill may do what both say together: a reminder that recurs is not a task.
    if (only === undefined || more.length + otherTexts.length > 0 || value?.from !== "request") continue;
    if (typeof value.value === "string" && answer.includes(value.value))
      return { ...only, clause: call.clause };
  }
  return undefined;
}
