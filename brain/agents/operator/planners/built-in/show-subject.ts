import { PATH } from "@metahuman/core/language/tokens/reorder";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { interpretAlone } from "./interpret-request.ts";
import { stepOf } from "./next-step.ts";
import { sentences } from "./phrasing.ts";
import { ASKS, ASKS_IF, deniesOr } from "./word-lists.ts";

/** Requests that only ask for something or show it, so that they change nothing in any reading. */
const LOOKS = [
  "any|anything|show|list|give|tell|let me (?:see|know)|read|look|check|see",
  "i (?:want|need|would like|wish) to (?:see|know|read|look|check)",
].join("|");
const ASKS_OR_LOOKS = new RegExp(
  String.raw`^\W*(?:(?:so|and|hey|ok|okay|please|pls|kindly|well|now)\W+)*(?:${ASKS}|${ASKS_IF}|${LOOKS})\b|\?\s*$`,
  "iu",
);
/** Words of a change, a denial or a condition: such a request may mean more than to look. */
const CHANGES = deniesOr(
  "add|append|write|put|create|make|save|store|delete|remove|move|rename|copy|replace|change|set|update|mark|tick|cross",
  "edit|turn|send|overwrite|erase|clear|empty|fix|correct|insert|drop",
  "if|unless|should|shall|may|would|could|can you",
);
/** A longer request is a text. */
const MAX_LENGTH = 500;
const FILE = new RegExp(PATH, "giu");
const TASKS = /\b(?:tasks?|to-?dos?|to do|(?:task|to-?do) list|chores|errands)\b/iu;

/**
 * Shows the file or the tasks that a question is about, if the question itself was not understood. Undefined for
 * requests that may change something, and for those that name neither or several files.
 */
export function decideToShowSubject(state: PlanState): PlannerDecision | undefined {
  const { request } = state;
  if (
    request.length > MAX_LENGTH ||
    !ASKS_OR_LOOKS.test(request) ||
    CHANGES.test(request.replaceAll(FILE, ""))
  )
    return undefined;
  const [path, ...others] = new Set(request.match(FILE) ?? []);
  if (others.length > 0) return undefined;
  const [order, what] =
    path !== undefined
      ? [`read ${path}`, `This is ${path}`]
      : TASKS.test(request)
        ? ["list my open tasks", "These are your open tasks"]
        : [];
  if (order === undefined || what === undefined) return undefined;
  const reading = interpretAlone({ ...state, request: order });
  if (reading.kind !== "plan" || !reading.readOnly) return undefined;
  return stepOf(reading.calls, state, { assumed: [sentences.notUnderstoodExactly(request, what)] });
}
