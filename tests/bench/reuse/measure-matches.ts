import { openConfig } from "@metahuman/core/config/config-source";
import { matchRecipe } from "@metahuman/core/functions/recipe/match-recipe";
import type { MatchOptions } from "@metahuman/core/functions/recipe/match-types";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  grammarsOf,
  interpretAlone,
} from "../../../brain/agents/operator/planners/built-in/interpret-request.ts";
import { offeredSkills } from "../../../brain/boot/offered-skills.ts";
import { valuesAgree } from "./compare-values.ts";
import type { LabelledRequests } from "./labelled-requests.ts";
import { functionOf } from "./recipe-functions.ts";

/** Today in the labelled data, a Wednesday. */
const CLOCK = { now: new Date("2026-11-25T09:00:00.000Z"), timeZone: "UTC" };

const skills = (() => {
  const config = openConfig({
    home: join(tmpdir(), "metahuman-no-home"),
    shippedEtc: join(REPOSITORY, "etc"),
  });
  const { skills: offered } = offeredSkills(config.current());
  config.close();
  return offered;
})();

/** How a request is matched: with the shipped skills, on the day of the labelled data. */
export const MATCHING: MatchOptions = { ...CLOCK, skillGrammars: grammarsOf(skills) };

export interface Tally {
  paraphrases: number;
  lookAlikes: number;
  /** The number of paraphrases (`P:`) or look-alikes (`L:`) with this result. */
  count: (verdict: string) => number;
}

/** The match of each labelled request of a set, with these weights and this threshold of offers. */
export function measureMatches(
  { recipes, replay }: LabelledRequests,
  changed: Pick<MatchOptions, "weights" | "offeredFrom"> = {},
): Tally {
  const functions = recipes.map(functionOf);
  const verdicts = replay.map((labelled) => {
    const reading = interpretAlone({
      request: labelled.request,
      requestedAt: CLOCK.now,
      timeZone: CLOCK.timeZone,
      skills,
    });
    const { match, likely } = matchRecipe(labelled.request, functions, {
      ...MATCHING,
      reading,
      ...changed,
    });
    const [likeliest] = likely;
    const isUnderstood = reading.kind === "plan" || reading.kind === "ambiguous";
    const offered = isUnderstood && likeliest?.explainsAsMuch !== true ? undefined : likeliest;
    const first = match ?? offered;
    const wanted = labelled.shouldReplay ? labelled.recipe : labelled.otherRecipe;
    const isRight =
      first !== undefined && first.function.name === wanted && valuesAgree(labelled, first.values);
    const came = match ? (isRight ? "replayed" : "wrong replay") : isRight ? "offered" : "wrong offer";
    const verdict = first === undefined ? "missed" : came;
    return `${labelled.shouldReplay ? "P" : "L"}:${verdict}`;
  });
  const paraphrases = replay.filter(({ shouldReplay }) => shouldReplay).length;
  return {
    paraphrases,
    lookAlikes: replay.length - paraphrases,
    count: (wanted) => verdicts.filter((one) => one === wanted).length,
  };
}
