import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import { alignRequest } from "@metahuman/core/functions/matching/align-request";
import type { Features, Weights } from "@metahuman/core/functions/matching/evidence";
import { conceptsOf, type Slot } from "@metahuman/core/functions/matching/function-concepts";
import { findLikelyMatch } from "@metahuman/core/functions/matching/likely-match";
import { type Placement, placements } from "@metahuman/core/functions/matching/placements";
import { MATCH_WEIGHTS, type MatchWeights } from "@metahuman/core/functions/matching/match-weights";
import { type Span, spansOf } from "@metahuman/core/functions/matching/value-spans";
import { type AnnotatedRequest, assignRoles } from "@metahuman/core/functions/matching/word-roles";
import { contextFeatures } from "@metahuman/core/functions/recipe/weigh-function";
import { rankMatches, parseRequest, candidatesToWeigh } from "@metahuman/core/functions/recipe/match-recipe";
import type { Row } from "../row.ts";
import { valuesAgree } from "./compare-values.ts";
import type { LabelledRequest, LabelledRequests } from "./labelled-requests.ts";
import { functionOf } from "./recipe-functions.ts";
import { MATCHING, measureMatches, type Tally } from "./measure-matches.ts";

/** One labelled request, read as every recipe of its set. */
interface Example {
  set: string;
  labelled: LabelledRequest;
  /** Half of the lines of the sets that others wrote may take part in the weights; the others only measure them. */
  mayTeach: boolean;
  matches: Match[];
}

interface Match {
  isWanted: boolean;
  isNamed: boolean;
  roled: AnnotatedRequest;
  /** The facts besides the words; undefined if the function is not weighed. */
  context: ((values: Readonly<Record<string, unknown>>) => Features) | undefined;
}

/** The regularization of the weights, and the number of iterations. */
const VALUES = { penalty: 0.3, rounds: 120, step: 0.5 };
const TOGETHER = { penalty: 0.3, rounds: 60, step: 0.2 };
const MEANING = { penalty: 0.25, rounds: 300, step: 0.5 };
/**
 * The weight of each example without the features of the match by rules. The rules were made for these sets and agree
 * here far more often than with new requests, so the other features must suffice.
 */
const WITHOUT_RULES = 0.5;
const OF_RULES = /^(?:agreed|read-otherwise)/u;
/** A function that looks alike and is not meant counts for more than one about something else. */
const LOOK_ALIKE = 2;
/** Unknown, missing and doubtful words never speak for a function, however few of them there are in the labelled requests. */
const NEVER_FOR =
  /^(?:unseparated|further-order|split-name|unknown|blocking|aside|left|other|missed|parts-missed|question|value:|plan:(?:other|part|text)|read-otherwise|several|taken-out|ordered|phrase|modal|nothing|much|(?:alone:)?verb:(?:other|none))/u;
/** The function's own words, and values of its own form and kind, never speak against it, although look-alikes have them, too. */
const NEVER_AGAINST =
  /^(?:agreed|begins-with-own|certainty|described|explained|form:|headed|kind:|named|near|only-described|report-to-note|typed-value|verb:said|alone:verb:said|whole)/u;
/** Weights nearer to zero are left out of the table. */
const LEAST = 0.05;

/**
 * Fits the weights of likely matches to labelled requests and writes them to `artifacts/reading-weights.json`. The
 * rows show the result of each set that `isHeldOut` names, with weights fitted without it.
 */
export function fitWeights(
  sets: readonly LabelledRequests[],
  isHeldOut: (set: string) => boolean = () => true,
): Row[] {
  const examples = sets.flatMap(examplesOf);
  const heldOut = sets
    .filter(({ name }) => isHeldOut(name))
    .map((set) => ({
      set,
      weights: fit(examples.filter((one) => one.set !== set.name && one.mayTeach)),
    }));
  const rows = rowsOfHeldOut(heldOut, "no part in the weights");
  const fitted = fit(examples.filter((one) => one.mayTeach));
  mkdirSync(join(REPOSITORY, "artifacts"), { recursive: true });
  const table = { values: roundedWeights(fitted.values), meaning: roundedWeights(fitted.meaning) };
  writeFileSync(
    join(REPOSITORY, "artifacts", "reading-weights.json"),
    `${JSON.stringify(table, undefined, 2)}\n`,
  );
  return rows;
}

/**
 * Moves the weights of the meaning to the labelled requests, no further from the shipped ones than they demand, and writes them to
 * `artifacts/meaning-weights.json`. All lines take part but those of the held-out set, whose result the rows show.
 * A second run begins with the result of the first, so its prior is another one.
 */
export function refineWeights(
  sets: readonly LabelledRequests[],
  isHeldOut: (set: string) => boolean = () => true,
): Row[] {
  const examples = sets.filter(({ name }) => !ONLY_MEASURED.has(name)).flatMap(examplesOf);
  const { values, meaning } = MATCH_WEIGHTS;
  const choicesOf = (taught: readonly Example[]): Choice[] =>
    likelyMatches(taught, values).map(({ features, isRight, weight }) => ({
      features: [{}, features],
      isRight: [!isRight, isRight],
      weight,
    }));
  const fitted = (taught: readonly Example[]): MatchWeights => ({
    values,
    meaning: choose(choicesOf(taught), meaning, REFINED),
  });
  const heldOut = sets
    .filter(({ name }) => isHeldOut(name))
    .map((set) => ({ set, weights: fitted(examples.filter((one) => one.set !== set.name)) }));
  const { meaning: all } = fitted(examples);
  mkdirSync(join(REPOSITORY, "artifacts"), { recursive: true });
  writeFileSync(
    join(REPOSITORY, "artifacts", "meaning-weights.json"),
    `${JSON.stringify(roundedWeights(all), undefined, 2)}\n`,
  );
  return rowsOfHeldOut(heldOut, "no part in the refined weights");
}

/** The result of each set with weights that were fitted without it, and of all of them at different thresholds. */
function rowsOfHeldOut(
  heldOut: readonly { set: LabelledRequests; weights: MatchWeights }[],
  note: string,
): Row[] {
  return [
    ...heldOut.flatMap(({ set, weights }) =>
      rowsOf(`${set.name}, ${note}`, [measureMatches(set, { weights })]),
    ),
    ...THRESHOLDS.flatMap((probability) =>
      rowsOf(
        `these sets, ${note}, offered from ${String(probability)} on`,
        heldOut.map(({ set, weights }) =>
          measureMatches(set, { weights, offeredFrom: Math.log(probability / (1 - probability)) }),
        ),
      ),
    ),
  ];
}

/** A small word occurs often enough to be weighed by itself; of other evidence, much is rare, and its weight has its reason. */
const REFINED: Pace = {
  penalty: (name) => (name.startsWith("says:") ? 2 : 15),
  rounds: 300,
  step: 0.3,
  isNear: true,
};
/** Sets with no part in the refined weights. */
const ONLY_MEASURED: ReadonlySet<string> = new Set(["twentyfifth", "twentysixth"]);

/** Thresholds of offers that the sets are compared at. */
const THRESHOLDS = [0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8];
const TAUGHT_WHOLE: ReadonlySet<string> = new Set(["dev", "own"]);
/** The sets whose even lines are only counted. Of the other sets, the odd ones are. */
const TAUGHT_BY_ODD_LINES: ReadonlySet<string> = new Set([
  "sixteenth",
  "seventeenth",
  "eighteenth",
  "nineteenth",
]);

function examplesOf({ name, recipes, replay }: LabelledRequests): Example[] {
  const functions = recipes.map(functionOf);
  return replay.flatMap((labelled, index): Example[] => {
    const asked = parseRequest(labelled.request, MATCHING);
    const { units } = asked;
    if (units === undefined) return [];
    const wanted = labelled.shouldReplay ? labelled.recipe : labelled.otherRecipe;
    const { ranked } = rankMatches(functions, asked);
    // Certain matches are not weighed, and serve as examples of right ones.
    const weighed = candidatesToWeigh(
      functions,
      asked,
      ranked.map((one) => ({ ...one, certainty: "open" as const })),
    );
    const matches = functions.map((one): Match => {
      const known = weighed.find(({ candidate }) => candidate === one);
      return {
        isWanted: one.name === wanted,
        isNamed: one.name === labelled.recipe,
        roled: assignRoles(alignRequest(units, conceptsOf(one))),
        context: known && ((values) => contextFeatures(values, known.found, known.options)),
      };
    });
    const isOdd = index % 2 === 0;
    return [
      {
        set: name,
        labelled,
        mayTeach: TAUGHT_WHOLE.has(name) || isOdd === TAUGHT_BY_ODD_LINES.has(name),
        matches,
      },
    ];
  });
}

const known = new WeakMap<AnnotatedRequest, Map<Slot, readonly Span[]>>();

/** The possible positions of values depend on no weight, so they are computed once. */
function spansFor(slot: Slot, roled: AnnotatedRequest): readonly Span[] {
  const ofRequest = known.get(roled) ?? new Map<Slot, readonly Span[]>();
  const spans = ofRequest.get(slot) ?? spansOf(slot, roled);
  known.set(roled, ofRequest.set(slot, spans));
  return spans;
}

/** Alternatives of which some are right. */
interface Choice {
  features: Features[];
  isRight: boolean[];
  weight: number;
}

function fit(examples: readonly Example[]): MatchWeights {
  const wanted = examples.flatMap(({ labelled, matches }) =>
    labelled.values === undefined
      ? []
      : matches.filter(({ isWanted }) => isWanted).map(({ roled }) => ({ labelled, roled })),
  );
  const single = wanted.flatMap(({ labelled, roled }) =>
    roled.concepts.slots.map((slot): Choice => {
      const spans = spansFor(slot, roled);
      const label = labelOf(labelled, slot.name);
      return {
        features: spans.map(({ evidence }) => evidence.features),
        isRight: spans.map(({ value }) => valuesAgree(label, { [slot.name]: value })),
        weight: 1,
      };
    }),
  );
  let values = choose(single, {}, VALUES);
  for (let round = 0; round < 2; round += 1) {
    const together = wanted.map(({ labelled, roled }): Choice => {
      const all = placements(roled, values, { spansFor });
      return {
        features: all.map(allFeatures),
        isRight: all.map((one) => valuesAgree(labelled, valuesOf(one))),
        weight: 1,
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
    for (const [name, value] of Object.entries(span.evidence.features)) sum[name] = (sum[name] ?? 0) + value;
  return sum;
}

/** The evidence of each function's likeliest match, whether it is right, and how much the example counts. */
function likelyMatches(
  examples: readonly Example[],
  values: Weights,
): { features: Features; isRight: boolean; weight: number }[] {
  return examples.flatMap(({ labelled, matches }) =>
    matches.flatMap(({ isWanted, isNamed, roled, context }) => {
      const likely = context && findLikelyMatch(roled, values, { spansFor });
      if (likely === undefined) return [];
      const features: Features = { bias: 1, ...likely.features, ...context?.(likely.values) };
      const isRight = isWanted && valuesAgree(labelled, likely.values);
      return [{ features, isRight, weight: isNamed && !labelled.shouldReplay ? LOOK_ALIKE : 1 }];
    }),
  );
}

/** Weights that separate right matches from wrong ones: a logistic regression. */
function decide(examples: readonly Example[], values: Weights): Weights {
  const choices = likelyMatches(examples, values).flatMap(({ features, isRight, weight }): Choice[] => {
    const withoutRules = Object.fromEntries(
      Object.entries(features).filter(([name]) => !OF_RULES.test(name)),
    );
    return [
      { features: [{}, features], isRight: [!isRight, isRight], weight: (1 - WITHOUT_RULES) * weight },
      { features: [{}, withoutRules], isRight: [!isRight, isRight], weight: WITHOUT_RULES * weight },
    ];
  });
  return choose(choices, {}, MEANING);
}

interface Pace {
  penalty: number | ((name: string) => number);
  rounds: number;
  step: number;
  /** Whether the penalty is for the distance from the weights it begins with, not for their size. */
  isNear?: boolean;
}

/** Weights by which the right alternatives are likeliest: a conditional log-linear model, by adaptive gradients. */
function choose(
  choices: readonly Choice[],
  from: Weights,
  { penalty, rounds, step, isNear = false }: Pace,
): Weights {
  const penaltyOf = typeof penalty === "number" ? () => penalty : penalty;
  const names: string[] = [];
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? names.push(name) - 1;
    places.set(name, place);
    return place;
  };
  const informative = choices
    .filter(({ isRight }) => isRight.includes(true) && isRight.includes(false))
    .map(({ features, isRight, weight }) => ({
      isRight,
      weight,
      features: features.map((one) =>
        Object.entries(one).map(([name, value]): [number, number] => [placeOf(name), value]),
      ),
    }));
  for (const name of Object.keys(from)) placeOf(name);
  const weights = Float64Array.from(names, (name) => from[name] ?? 0);
  const squares = new Float64Array(names.length);
  for (let round = 0; round < rounds; round += 1) {
    const slope = Float64Array.from(names, (name, index) =>
      name === "bias" ? 0 : -penaltyOf(name) * ((weights[index] ?? 0) - (isNear ? (from[name] ?? 0) : 0)),
    );
    for (const { features, isRight, weight } of informative) {
      const scores = features.map((one) =>
        one.reduce((sum, [place, value]) => sum + (weights[place] ?? 0) * value, 0),
      );
      const most = Math.max(...scores);
      const shares = scores.map((score) => Math.exp(score - most));
      const all = shares.reduce((sum, share) => sum + share, 0);
      const right = shares.reduce((sum, share, index) => sum + (isRight[index] === true ? share : 0), 0);
      for (const [index, one] of features.entries()) {
        const share = shares[index] ?? 0;
        const by =
          weight * ((isRight[index] === true ? share / Math.max(right, Number.MIN_VALUE) : 0) - share / all);
        if (Math.abs(by) < 1e-6) continue;
        for (const [place, value] of one) slope[place] = (slope[place] ?? 0) + by * value;
      }
    }
    for (const [index, name] of names.entries()) {
      const up = slope[index] ?? 0;
      const square = (squares[index] ?? 0) + up * up;
      squares[index] = square;
      const weight = (weights[index] ?? 0) + (step * up) / Math.sqrt(square + 1e-6);
      weights[index] = NEVER_FOR.test(name)
        ? Math.min(0, weight)
        : NEVER_AGAINST.test(name)
          ? Math.max(0, weight)
          : weight;
    }
  }
  return Object.fromEntries(names.map((name, index) => [name, weights[index] ?? 0]));
}

function rowsOf(what: string, tallies: readonly Tally[]): Row[] {
  const sum = (of: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + of(tally), 0);
  const paraphrases = sum((tally) => tally.paraphrases);
  const lookAlikes = sum((tally) => tally.lookAlikes);
  const row = (part: string, verdicts: readonly string[], of: number): Row => ({
    what: `${what}: ${part}`,
    figure:
      Math.round(
        (1_000 * sum(({ count }) => verdicts.reduce((total, one) => total + count(one), 0))) /
          Math.max(1, of),
      ) / 10,
    unit: "%",
  });
  return [
    row("paraphrases replayed, right values", ["P:replayed"], paraphrases),
    row("paraphrases replayed or offered first, right values", ["P:replayed", "P:offered"], paraphrases),
    row("replayed wrongly", ["P:wrong replay", "L:wrong replay"], paraphrases + lookAlikes),
    row("paraphrases, first offer wrong", ["P:wrong offer"], paraphrases),
    row("look-alikes, first offer wrong", ["L:wrong offer"], lookAlikes),
  ];
}

const roundedWeights = (weights: Weights): Record<string, number> =>
  Object.fromEntries(
    Object.entries(weights)
      .filter(([, weight]) => Math.abs(weight) >= LEAST)
      .map(([name, weight]): [string, number] => [name, Math.round(100 * weight) / 100])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
