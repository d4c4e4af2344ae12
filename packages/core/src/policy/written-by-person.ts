import type { Action } from "../contract/run.ts";
import { isOwnCorrection, isOwnFact, isOwnFunctionCall, isOwnGoal } from "./own-words.ts";
import {
  containsForm,
  type PriorText,
  readTexts,
  sourceOfText,
  type TargetNaming,
  textsOf,
  titleOf,
} from "./target-source.ts";
import { stringsIn } from "../contract/parse-json.ts";

/** True for a call with text that acts later as the person's own: the goal of a schedule, a fact to remember. */
export const hasOwnText = ({ tool }: Action): boolean =>
  tool === "schedule_create" || tool === "memory_remember";

/** Whether the person wrote what a call schedules or remembers, or asked for it. */
export function isWrittenBy({ tool, args }: Action, prior: PriorText): TargetNaming {
  const texts = textsOf(prior);
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : "");
  const asUnnamed = (words: string): TargetNaming => ({
    named: false,
    source: sourceOfText(words, prior) ?? "the model",
  });
  if (tool === "schedule_create") {
    const { goal } = args;
    const what = [text("goal"), text("functionId")].filter((one) => one !== "");
    if (prior.function && !containsForm(prior.function.parameters, what)) return { named: true };
    if (typeof goal === "string") return isOwnGoal(goal, texts) ? { named: true } : asUnnamed(goal);
    const title = titleOf(text("functionId"), prior);
    return isOwnFunctionCall(title, stringsIn(args["values"]), texts) ? { named: true } : asUnnamed(title);
  }
  const fact = text("text");
  const replaced = text("replaces");
  if (replaced !== "")
    return isOwnCorrection(fact, titleOf(replaced, prior), texts) ? { named: true } : asUnnamed(fact);
  const read = readTexts(prior).map((one) => one.text);
  const now = [prior.request, ...(prior.answers ?? [])];
  return isOwnFact(fact, { now, texts, read }) ? { named: true } : asUnnamed(fact);
}
