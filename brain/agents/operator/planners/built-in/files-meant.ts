import type { PlannedCall } from "@metahuman/core/language/grammar/plan";
import type { PlannerDecision, PlanState } from "../../planner.ts";
import { askedOf, fileListings, filesInWords, withPaths } from "./file-in-words.ts";
import { follow } from "./follow.ts";
import { interpretRequest } from "./interpret-request.ts";
import { stepOf } from "./next-step.ts";
import { sentences, THOUGHTS } from "./phrasing.ts";

/** Reads a request again with the path of the file that it names in words; undefined if it names none. */
export async function withFilesInWords(
  { recall }: { recall?: PlannedCall },
  state: PlanState,
): Promise<PlannerDecision | undefined> {
  const { request: asked, scratchpad, skills } = state;
  const listings = fileListings(asked, skills, { isQuestion: recall !== undefined });
  if (listings.length === 0) return undefined;
  const position = follow(listings, scratchpad, skills);
  if (position.kind === "act") {
    const parallel = position.parallel.map(({ action }) => ({ thought: THOUGHTS.fileInWords, action }));
    const step = { thought: THOUGHTS.fileInWords, action: position.action };
    return { kind: "act", ...step, ...(parallel.length > 0 && { parallel }) };
  }
  const outcomes = position.kind === "end" ? position.outcomes : [];
  const paths = outcomes.flatMap((outcome) =>
    outcome.kind === "done" ? (outcome.done.skill.finds?.candidates(outcome.done.outputs) ?? []) : [],
  );
  const files = filesInWords(asked, [...new Set(paths.map(({ id }) => id))]);
  for (const request of files.length === 0 ? [] : withPaths(asked, files)) {
    const reading = await interpretRequest({ ...state, request });
    const named = files.filter(
      ({ path, corrected = path }) => request.includes(path) || request.includes(corrected),
    );
    // A change needs the whole name of its target.
    if (reading.kind === "plan" && (reading.readOnly || named.every(({ isWhole }) => isWhole)))
      return stepOf(reading.calls, state, undefined, [], sentences.filesMeant(named));
  }
  const [only, ...others] = files;
  if (only === undefined || others.length > 0) return undefined;
  const question = askedOf(asked, only, { isQuestion: recall !== undefined });
  if (question === undefined) return undefined;
  const reading = await interpretRequest({ ...state, request: question });
  return reading.kind === "plan" && reading.readOnly
    ? stepOf(reading.calls, state, undefined, [], sentences.filesMeant([only]))
    : undefined;
}
