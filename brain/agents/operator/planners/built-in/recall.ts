import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import { callOf, fromRequest } from "@metahuman/core/language/references/planned";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { decideFilesInWords } from "./files/file-requests.ts";
import { decideFromUnnamedFile, decideFromUnnamedTable } from "./files/unnamed-file.ts";
import { lookUp } from "./follow.ts";
import { stepOf } from "./next-step.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";
import { viewOf } from "./report.ts";
import { decideTaskDue } from "./tasks/short-task-orders.ts";

// Answers to questions that no skill claims: from memory, and from the tasks and files if memory has none. "What is the gate code?" is
// looked up in memory; if only a note has it, the note is read.

/** The view that answers a question. */
const ANSWER_VIEW = "answer";

/**
 * Searches for the answer to a question that matches no skill; undefined if there is none. `isDoubtful` for memories that
 * only share words with the question.
 */
export function recallAnswer(
  call: PlannedCall,
  state: PlanState,
): { decision: PlannerDecision; isDoubtful: boolean } | undefined {
  const looked = lookUp(call, state);
  if (looked.kind === "act") return { decision: { ...looked, thought: THOUGHTS.recall }, isDoubtful: false };
  const { outcome } = looked;
  if (outcome === undefined || outcome.kind === "skipped") return undefined;
  const decision = stepOf([call], state);
  if (outcome.kind !== "done") return { decision, isDoubtful: false };
  const { skill, outputs } = outcome.done;
  if (!skill.results?.text?.(outputs)) return undefined;
  const isAnswered = viewOf(outcome, state) !== undefined;
  const isList = decision.kind === "answer" && decision.text?.startsWith("|") === true;
  return isAnswered || !isList
    ? { decision, isDoubtful: !isAnswered }
    : {
        decision: { ...decision, text: `${sentences.onlyRelated}\n\n${decision.text ?? ""}` },
        isDoubtful: true,
      };
}

/** The call that answers a question from memory; undefined without a skill for it. */
export function memoryCall(
  question: string,
  { skills, request }: Pick<PlanState, "skills" | "request">,
): PlannedCall | undefined {
  const { id, answers } = skills.find((skill) => skill.answers !== undefined) ?? {};
  if (id === undefined || answers === undefined) return undefined;
  const call = callOf(id, fromRequest({ [answers]: question }), request);
  return { ...call, view: { name: ANSWER_VIEW, values: {} } };
}

/** The answer from a file to a question that was asked of memory, which does not answer it; undefined if no file does. */
export async function answerFromFile(
  call: PlannedCall,
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const isAsked = state.skills.some(({ id, answers }) => id === call.skill && answers !== undefined);
  if (!isAsked) return undefined;
  const remembered = recallAnswer(call, state);
  // "Search for reset in the manual": a place is not part of what is remembered.
  if (call.view?.name !== ANSWER_VIEW)
    return remembered === undefined ? await decideFilesInWords({}, state) : undefined;
  if (remembered !== undefined && !remembered.isDoubtful) return undefined;
  return (
    decideTaskDue(state) ??
    (await decideFilesInWords({ recall: call }, state)) ??
    decideFromUnnamedTable(state) ??
    answerFromUnnamedFile(call, state, remembered !== undefined)
  );
}

/**
 * The answer from a file that a question does not name. Memories with some of the words, if there are any, come before a file that
 * has only some of them.
 */
export function answerFromUnnamedFile(
  { skill: id, args }: PlannedCall,
  state: PlanState,
  hasMemories: boolean,
): PlannerDecision | undefined {
  const asked = args[state.skills.find((skill) => skill.id === id)?.answers ?? ""];
  if (asked?.from !== "request" || typeof asked.value !== "string") return undefined;
  const found = decideFromUnnamedFile(asked.value, state);
  const isTaken = found?.isWhole === true || found?.decision.kind === "act" || !hasMemories;
  return isTaken ? found?.decision : undefined;
}
