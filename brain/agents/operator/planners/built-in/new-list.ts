import { optionFromReply } from "@metahuman/core/language/grammar/choose-option";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { answerIn } from "./follow.ts";
import { interpretAlone } from "./interpret-request.ts";
import { ask, stepOf } from "./next-step.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";

/** "Add eggs to the shopping list": things for a list that has a name and is no list of tasks. */
const FOR_LIST =
  /^(?:(?:please|also|and|can you|could you|would you)[,\s]+)*(?:add|put|write|note)\s+(?<items>[^.!?:\n]{1,200}?)\s+(?:to|on|onto|in)\s+(?:(?:the|my|our|a)\s+)?(?<name>(?!(?:to-?do|task|tasks)\b)\p{L}[\p{L}\s-]{1,30}\blist)(?:\s+(?:please|pls|thanks|too|as well))*[\s.!?]*$/iu;
const YES_OR_NO = ["Yes", "No"];

/** Asks whether a list that does not exist is to be created with what should go on it; undefined for any other request. */
export function newList(state: PlanState): PlannerDecision | undefined {
  const { items, name } = FOR_LIST.exec(state.request.trim())?.groups ?? {};
  if (items === undefined || name === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: `create a ${name} with ${items}` });
  if (reading.kind !== "plan" || reading.readOnly) return undefined;
  const question = { question: sentences.newList(name), options: YES_OR_NO };
  const reply = answerIn(state.scratchpad)(question);
  if (reply === undefined) return ask(question, THOUGHTS.newList);
  if (optionFromReply(reply, YES_OR_NO) === 0) return stepOf(reading.calls, state);
  return { kind: "answer", thought: THOUGHTS.refrain, style: "default", text: sentences.nothingChosen };
}
