import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { Answer } from "./answer.ts";
import { observeNote } from "./observe.ts";
import type { RunContext, Yielded } from "./run-context.ts";
import { stepsTaken } from "./stop.ts";
import { ANSWER_SKILL } from "./wording.ts";

/** The planners whose answers a model words, so that they may say more than was observed. */
const MODEL_PLANNERS: ReadonlySet<string> = new Set(["structured", "tool-calling"]);

/** A step without a call that showed something: the answer was sent back in it. */
function isReview({ action, observation }: ScratchpadEntry): boolean {
  return action === undefined && observation !== undefined;
}

function wentWell({ action, observation }: ScratchpadEntry): boolean {
  return action !== undefined && action.tool !== ANSWER_SKILL && observation?.success === true;
}

const NOTHING_WENT_WELL =
  "None of the calls went well: nothing was found out or done, whatever the answer says.";

/** What the last check found wrong with the answer before; `""` when nothing was. */
export function findingsOfReview(scratchpad: readonly ScratchpadEntry[]): string {
  return scratchpad.findLast(isReview)?.observation?.content ?? "";
}

/**
 * Has the critic check the answer's claims against the observations (design 4.1). The first time a claim has no support,
 * that becomes a step of the run and the answer is `sent-back`; the next answer stands, and the person is warned of what
 * it still claims. Without a critic, and for words that code made, the answer stands. Where no call went well there is
 * nothing to check against, and the person is told so.
 */
export async function* review(
  { text, style, verbatim }: Answer,
  context: RunContext,
): AsyncGenerator<Yielded, "stands" | "sent-back"> {
  const { critic, planner, signal } = context;
  const { scratchpad } = context.run();
  const wordedByModel = MODEL_PLANNERS.has(planner.name) && style !== "strict" && !verbatim;
  if (!wordedByModel || stepsTaken(scratchpad) === 0) return "stands";
  if (!scratchpad.some(wentWell)) {
    yield { type: "warning-raised", message: NOTHING_WENT_WELL };
    return "stands";
  }
  if (!critic) return "stands";
  const claims = await critic.unsupported(text, context.state(), signal);
  yield* context.takeWarnings();
  if (claims.length === 0) return "stands";
  const list = claims.map((claim) => `- ${claim}`).join("\n");
  if (scratchpad.some(isReview)) {
    yield { type: "warning-raised", message: `The answer claims what no observation shows:\n${list}` };
    return "stands";
  }
  const step = (scratchpad.at(-1)?.step ?? 0) + 1;
  const thought = "Check the answer against the observations.";
  yield { type: "step-planned", step, thought, planner: planner.name };
  const found = `The answer claims what no observation shows. Find it out, or leave it out:\n${list}`;
  yield { type: "observation-made", step, observation: observeNote(found), durationMs: 0 };
  return "sent-back";
}
