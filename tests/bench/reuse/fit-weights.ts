import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { alignRequest } from "@metahuman/core/functions/reading/align-request";
import { conceptsOf } from "@metahuman/core/functions/reading/function-concepts";
import { meaningFeatures } from "@metahuman/core/functions/reading/meaning-features";
import {
  type Placement,
  placements,
  scoreOf,
  type Weights,
} from "@metahuman/core/functions/reading/placements";
import { readUnits } from "@metahuman/core/functions/reading/request-units";
import { type Features, spansOf } from "@metahuman/core/functions/reading/value-spans";
import { type RoledRequest, roledRequest } from "@metahuman/core/functions/reading/word-roles";
import type { Row } from "../row.ts";
import { valuesAgree } from "./compare-values.ts";
import type { LabelledRequest, LabelledRequests } from "./labelled-requests.ts";
import { functionOf } from "./recipe-functions.ts";

/** Today in the labelled data, a Wednesday. */
const CLOCK = { now: new Date("2026-11-25T09:00:00.000Z"), timeZone: "UTC" };

/** One labelled request, read as every recipe of its set. */
interface Example {
  set: string;
  labelled: LabelledRequest;
  /** Even lines of the sets that others wrote may take part in the weights; the others only measure them. */
  mayTeach: boolean;
  readings: { isWanted: boolean; isNamed: boolean; roled: RoledRequest }[];
}

/** How strongly weights are held near zero, and how often they are improved. */
const VALUES = { penalty: 0.3, rounds: 120, step: 0.5 };
const TOGETHER = { penalty: 0.3, rounds: 60, step: 0.2 };
const MEANING = { penalty: 0.5, rounds: 300, step: 0.5 };
/** A function that looks alike and is not meant counts for more than one about something else. */
const LOOK_ALIKE = 2;
/** Unknown, missing and doubtful words never speak for a function, however few of them there are in the labelled requests. */
const NEVER_FOR =
  /^(?:unknown|blocking|aside|left|other|missed|parts-missed|question|value:|several|taken-out|ordered|phrase|modal|nothing|much)/u;
/** Weights nearer to zero are left out of the table. */
const LEAST = 0.05;

/**
 * Fits the weights of the likely reading to labelled requests and writes them to `artifacts/reading-weights.json`. The rows say
 * how often the likeliest reading is right for each set when the set itself has no part in the weights.
 */
export function fitWeights(sets: readonly LabelledRequests[]): Row[] {
  const examples = sets.flatMap(examplesOf);
  const rows = sets.flatMap(({ name }) => {
    const { values, meaning } = fit(examples.filter((one) => one.set !== name && one.mayTeach));
    return measure(
      name,
      examples.filter((one) => one.set === name),
      { values, meaning },
    );
  });
  const fitted = fit(examples.filter((one) => one.mayTeach));
  mkdirSync(join(REPOSITORY, "artifacts"), { recursive: true });
  const table = { values: tidy(fitted.values), meaning: tidy(fitted.meaning) };
  writeFileSync(
    join(REPOSITORY, "artifacts", "reading-weights.json"),
    `${JSON.stringify(table, undefined, 2)}\n`,
  );
  return rows;
}

const TAUGHT_WHOLE: ReadonlySet<string> = new Set(["dev", "own"]);

function examplesOf({ name, recipes, replay }: LabelledRequests): Example[] {
  const functions = recipes.map((recipe, number) => ({
    recipe,
    concepts: conceptsOf(functionOf(recipe, number)),
  }));
  return replay.flatMap((labelled, index): Example[] => {
    const units = readUnits(labelled.request, CLOCK);
    if (units === undefined) return [];
    const wanted = labelled.shouldReplay ? labelled.recipe : labelled.otherRecipe;
    const readings = functions.map(({ recipe: { id }, concepts }) => ({
      isWanted: id === wanted,
      isNamed: id === labelled.recipe,
      roled: roledRequest(alignRequest(units, concepts)),
    }));
    return [{ set: name, labelled, mayTeach: TAUGHT_WHOLE.has(name) || index % 2 === 1, readings }];
  });
}

/** Alternatives of which some are right. */
interface Choice {
  features: Features[];
  isRight: boolean[];
}

function fit(examples: readonly Example[]): { values: Weights; meaning: Weights } {
  const wanted = examples.flatMap(({ labelled, readings }) =>
    labelled.values === undefined
      ? []
      : readings.filter(({ isWanted }) => isWanted).map(({ roled }) => ({ labelled, roled })),
  );
  const single = wanted.flatMap(({ labelled, roled }) =>
    roled.concepts.slots.map((slot): Choice => {
      const spans = spansOf(slot, roled);
      const label = labelOf(labelled, slot.name);
      return {
        features: spans.map(({ features }) => features),
        isRight: spans.map(({ value }) => valuesAgree(label, { [slot.name]: value })),
      };
    }),
  );
  let values = choose(single, {}, VALUES);
  for (let round = 0; round < 3; round += 1) {
    const together = wanted.map(({ labelled, roled }): Choice => {
      const all = placements(roled, values);
      return {
        features: all.map(allFeatures),
        isRight: all.map((one) => valuesAgree(labelled, valuesOf(one))),
      };
    });
    values = choose(together, values, TOGETHER);
  }
  return { values, meaning: decide(examples, values) };
}

function labelOf({ values = {}, alsoAccepted = {} }: LabelledRequest, name: string) {
  const [value, others] = [values[name], alsoAccepted[name]];
  return {
    ...(value !== undefined && { values: { [name]: value } }),
    ...(others && { alsoAccepted: { [name]: others } }),
  };
}

const valuesOf = ({ placed }: Placement): Record<string, unknown> =>
  Object.fromEntries(placed.map(({ slot, span }) => [slot.name, span.value]));

function allFeatures({ placed, features }: Placement): Features {
  const sum: Features = { ...features };
  for (const { span } of placed)
    for (const [name, value] of Object.entries(span.features)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

interface Pace {
  penalty: number;
  rounds: number;
  step: number;
}

/** Weights by which the right alternatives are likeliest: a conditional log-linear model, by adaptive gradients. */
function choose(choices: readonly Choice[], from: Weights, pace: Pace): Weights {
  const told = choices.filter(({ isRight }) => isRight.includes(true) && isRight.includes(false));
  return ascend(from, pace, (weights, add) => {
    for (const { features, isRight } of told) {
      const scores = features.map((one) => scoreOf(one, weights));
      const most = Math.max(...scores);
      const shares = scores.map((score) => Math.exp(score - most));
      const all = shares.reduce((sum, share) => sum + share, 0);
      const right = shares.reduce((sum, share, at) => sum + (isRight[at] === true ? share : 0), 0);
      for (const [at, one] of features.entries()) {
        const share = shares[at] ?? 0;
        add(one, (isRight[at] === true ? share / Math.max(right, Number.MIN_VALUE) : 0) - share / all);
      }
    }
  });
}

/** Weights by which a reading that is right is told from one that is not: a logistic regression. */
function decide(examples: readonly Example[], values: Weights): Weights {
  const told = examples.flatMap(({ labelled, readings }) =>
    readings.flatMap(({ isWanted, isNamed, roled }) => {
      const all = placements(roled, values);
      const [best] = all;
      if (best === undefined) return [];
      const isRight = isWanted && valuesAgree(labelled, valuesOf(best));
      const weight = isNamed && !labelled.shouldReplay ? LOOK_ALIKE : 1;
      return [{ features: { bias: 1, ...meaningFeatures(roled, all) }, isRight, weight }];
    }),
  );
  return ascend({}, MEANING, (weights, add) => {
    for (const { features, isRight, weight } of told)
      add(features, weight * ((isRight ? 1 : 0) - 1 / (1 + Math.exp(-scoreOf(features, weights)))));
  });
}

function ascend(
  from: Weights,
  { penalty, rounds, step }: Pace,
  gradient: (weights: Weights, add: (features: Features, by: number) => void) => void,
): Weights {
  const weights: Record<string, number> = { ...from };
  const squares: Record<string, number> = {};
  for (let round = 0; round < rounds; round += 1) {
    const sum: Record<string, number> = {};
    gradient(weights, (features, by) => {
      if (Math.abs(by) < 1e-6) return;
      for (const [name, value] of Object.entries(features)) sum[name] = (sum[name] ?? 0) + by * value;
    });
    for (const [name, total] of Object.entries(sum)) {
      const slope = total - (name === "bias" ? 0 : penalty * (weights[name] ?? 0));
      const square = (squares[name] ?? 0) + slope * slope;
      squares[name] = square;
      const weight = (weights[name] ?? 0) + (step * slope) / Math.sqrt(square + 1e-6);
      weights[name] = NEVER_FOR.test(name) ? Math.min(0, weight) : weight;
    }
  }
  return weights;
}

function measure(
  set: string,
  examples: readonly Example[],
  { values, meaning }: { values: Weights; meaning: Weights },
): Row[] {
  const count = { right: 0, wrong: 0, meant: 0 };
  for (const { labelled, readings } of examples) {
    if (labelled.shouldReplay) count.meant += 1;
    const [best] = readings
      .flatMap(({ isWanted, roled }) => {
        const all = placements(roled, values);
        const [first] = all;
        if (first === undefined) return [];
        const isRight = isWanted && valuesAgree(labelled, valuesOf(first));
        return [{ isRight, logOdds: scoreOf({ bias: 1, ...meaningFeatures(roled, all) }, meaning) }];
      })
      .toSorted((one, other) => other.logOdds - one.logOdds);
    if (best === undefined || best.logOdds < Math.log(0.66 / 0.34)) continue;
    if (best.isRight) count.right += 1;
    else count.wrong += 1;
  }
  const row = (what: string, part: number, of: number): Row => ({
    what: `${set}, no part in the weights: ${what}`,
    figure: Math.round((1_000 * part) / Math.max(1, of)) / 10,
    unit: "%",
  });
  return [
    row("paraphrases read right by the weights alone", count.right, count.meant),
    row("likeliest readings wrong", count.wrong, examples.length),
  ];
}

const tidy = (weights: Weights): Record<string, number> =>
  Object.fromEntries(
    Object.entries(weights)
      .filter(([, weight]) => Math.abs(weight) >= LEAST)
      .map(([name, weight]): [string, number] => [name, Math.round(100 * weight) / 100])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
