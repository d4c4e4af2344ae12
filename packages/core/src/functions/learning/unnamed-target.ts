import type { Action } from "../../contract/run.ts";
import { isNamedTarget, type PriorText, sourcePhrase } from "../../policy/named-target.ts";
import type { LearnableRun, MadeCall } from "./learnable-run.ts";

/**
 * Why a run teaches nothing: it deletes, overwrites, moves, sends or runs something that neither the request nor an
 * answer named, even where the person allowed that call. Undefined when every target is named, or is a member of a set
 * that the request names and that a listing found.
 */
export function unnamedTarget({ request, calls }: LearnableRun): string | undefined {
  const made = calls.filter(({ success }) => success);
  const answers = made.flatMap(({ outputs: { answer } }) => (typeof answer === "string" ? [answer] : []));
  const scratchpad: NonNullable<PriorText["scratchpad"]> = made.map((call) => ({
    action: { tool: call.skill, args: call.args },
    observation: { mode: "structured", content: "", success: true, outputs: call.outputs },
  }));
  for (const [index, call] of made.entries()) {
    const naming = isNamedTarget(asDone(call), { request, answers, scratchpad: scratchpad.slice(0, index) });
    if (!naming.named && naming.set === undefined)
      return `The target of ${call.skill} was ${sourcePhrase(naming)}.`;
  }
  return undefined;
}

/** The call with what it did to an existing file: a write that was allowed to overwrite may have made a new one. */
function asDone({ skill, args, outputs }: MadeCall): Action {
  const isNew = outputs["archived"] === undefined && outputs["created"] !== false;
  if (skill === "fs_write") return { tool: skill, args: { ...args, overwrite: !isNew } };
  return { tool: skill, args: skill === "json_update" && isNew ? { ...args, create: true } : args };
}
