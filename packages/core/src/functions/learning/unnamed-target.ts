import type { Action } from "../../contract/run.ts";
import { isRecord } from "../../text/is-record.ts";
import { isNamedTarget, sourcePhrase } from "../../policy/named-target.ts";
import type { PriorText } from "../../policy/target-source.ts";
import type { LearnableRun, MadeCall } from "./learnable-run.ts";

/**
 * The reason why a run must not be learned: it deletes, overwrites, moves, sends or executes something that neither the
 * request nor an answer named, even if the person approved the call. Undefined if every target is named, or is a member
 * of a set that the request names and a listing found.
 */
export function unnamedTarget({ request, calls }: LearnableRun): string | undefined {
  const made = calls.filter(({ success }) => success);
  const answers = made.flatMap(({ outputs: { answer } }) => (typeof answer === "string" ? [answer] : []));
  const scratchpad: NonNullable<PriorText["scratchpad"]> = made.map((call) => ({
    action: { tool: call.skill, args: call.args },
    observation: { mode: "structured", content: "", success: true, outputs: call.outputs },
  }));
  for (const [index, call] of made.entries()) {
    const prior = { request, answers, scratchpad: scratchpad.slice(0, index), titles: titlesIn(call) };
    const naming = isNamedTarget(withActualEffect(call), prior);
    if (!naming.named && naming.set === undefined)
      return `The target of ${call.skill} was ${sourcePhrase(naming)}.`;
  }
  return undefined;
}

/** The call with its actual effect: a write that was allowed to overwrite may have created a file. */
function withActualEffect({ skill, args, outputs }: MadeCall): Action {
  const isNew = outputs["archived"] === undefined && outputs["created"] !== false;
  if (skill === "fs_write") return { tool: skill, args: { ...args, overwrite: !isNew } };
  const isCreation = isNew && (skill === "json_update" || skill === "fs_append");
  return { tool: skill, args: isCreation ? { ...args, create: true } : args };
}

/** The title of the record that a call returns, by its id. */
function titlesIn({ outputs: { id, task, schedule } }: MadeCall): Record<string, string> {
  const record = isRecord(task) ? task : isRecord(schedule) ? schedule : {};
  const { title } = record;
  return typeof id === "string" && typeof title === "string" ? { [id]: title } : {};
}
