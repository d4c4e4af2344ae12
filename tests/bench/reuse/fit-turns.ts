import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { REPOSITORY } from "@metahuman/core/paths/data-root";
import {
  BIAS,
  LIKELY_KIND,
  probabilitiesOf,
  TURN_KINDS,
  turnContext,
  type TurnContext,
  turnFeatures,
  type TurnKind,
  turnStems,
} from "../../../brain/agents/operator/planners/built-in/likely-orders/turn-kind.ts";
import { withNamedFile } from "../../../brain/agents/operator/planners/built-in/likely-orders/likely-order.ts";
import type { TurnWeights } from "../../../brain/agents/operator/planners/built-in/likely-orders/turn-kind-weights.ts";
import type { Row } from "../row.ts";
import type { LabelledConversation } from "./conversations-part.ts";

/** A message of a labelled conversation with the kind that its label implies. */
interface Example {
  features: string[];
  kind: TurnKind;
}

/** A feature of fewer messages has no weight, and the features with the smallest weights have none either. */
const MIN_COUNT = 4;
const MAX_FEATURES = 400;
const ROUNDS = 250;
const STEP = 20;
const MOMENTUM = 0.9;
const PENALTY = 1e-4;

/**
 * Fits the weights of the kinds of messages to labelled conversations and writes them to `artifacts/turn-kind-weights.ts`. The rows
 * show how often the kind is right in each set, with weights fitted without it.
 */
export function fitTurns(sets: readonly { name: string; conversations: LabelledConversation[] }[]): Row[] {
  const examples = sets.map(({ name, conversations }) => ({
    name,
    examples: conversations.flatMap(examplesOf),
  }));
  const rows = examples.flatMap(({ name, examples: heldOut }): Row[] => {
    const weights = fit(examples.flatMap((other) => (other.name === name ? [] : other.examples)));
    const found = heldOut.map(({ features, kind }) => {
      const entries = Object.entries(probabilitiesOf(features, weights));
      const [best = "remark", probability = 0] =
        entries.toSorted(([, one], [, other]) => other - one)[0] ?? [];
      return { isRight: best === kind, isLikely: probability >= LIKELY_KIND };
    });
    const likely = found.filter(({ isLikely }) => isLikely);
    const share = (part: number, whole: number): number =>
      Math.round((1_000 * part) / Math.max(1, whole)) / 10;
    const right = (some: typeof found): number =>
      share(some.filter(({ isRight }) => isRight).length, some.length);
    return [
      {
        what: `${name}: kinds of ${String(found.length)} messages right, no part in the weights`,
        figure: right(found),
        unit: "%",
      },
      {
        what: `${name}: messages whose kind has a probability of ${String(LIKELY_KIND)} or more`,
        figure: share(likely.length, found.length),
        unit: "%",
      },
      { what: `${name}: of these, right`, figure: right(likely), unit: "%" },
    ];
  });
  const weights = fit(examples.flatMap((set) => set.examples));
  mkdirSync(join(REPOSITORY, "artifacts"), { recursive: true });
  const lines = Object.entries(weights).map(
    ([name, row]) => `  ${JSON.stringify(name)}: ${JSON.stringify(row)},`,
  );
  writeFileSync(join(REPOSITORY, "artifacts", "turn-kind-weights.ts"), `${lines.join("\n")}\n`);
  return rows;
}

/** The messages of a conversation, with what the conversation is about before each of them by its labels. */
function examplesOf({ files, turns }: LabelledConversation): Example[] {
  const written = Object.values(files);
  // The conversation is about its files once something was done in it, as in a run.
  const about: string[] = [];
  let path: string | undefined;
  let last: TurnContext["last"] = "start";
  return turns.map(({ say, expect }) => {
    const features = turnFeatures(say, withNamedFile(turnContext(about, path, last), say));
    const { or, ...first } = expect;
    const effects = { ...or[0], ...first };
    const has = effects.file?.has ?? [];
    const kind = kindOf(effects, {
      say,
      has: has.flatMap(turnStems),
      known: new Set([...written, ...about].flatMap(turnStems)),
      isNew: last === "start" && written.length === 0,
    });
    if (kind === "remark") return { features, kind };
    if (last === "start") about.push(...written);
    about.push(...has, ...demandedTexts(effects));
    path = pathAfter(effects, path ?? Object.keys(files)[0]);
    last = kind === "change" || kind === "create" || kind === "remove" ? "add" : kind;
    return { features, kind };
  });
}

/** The texts of tasks and facts that a label demands. */
const demandedTexts = ({ task, reminder, schedule, memory }: Effects): string[] =>
  [task, reminder, schedule, memory].flatMap((one) => one?.has ?? []);

/** The newest file after a message: the one that it changed, or the one before. */
const pathAfter = ({ file }: Effects, before: string | undefined): string | undefined =>
  file === undefined ? before : file.path === "any" ? (before ?? "any.md") : file.path;

type Effects = Partial<LabelledConversation["turns"][number]["expect"]>;

/** The kind of a message whose label demands these effects. */
function kindOf(
  effects: Effects,
  {
    say,
    has,
    known,
    isNew,
  }: { say: string; has: readonly string[]; known: ReadonlySet<string>; isNew: boolean },
): TurnKind {
  const { file } = effects;
  if (file !== undefined) {
    const written = new Set(turnStems(say));
    const lacks = new Set(file.lacks.flatMap(turnStems));
    const hasNew = has.some((word) => written.has(word) && !known.has(word) && !lacks.has(word));
    if (lacks.size > 0) return hasNew ? "change" : "remove";
    return isNew || !has.some((word) => known.has(word)) ? "create" : "add";
  }
  const { task, reminder, schedule, noTask, done, memory, noMemory, answer } = effects;
  if ([task, reminder, schedule, noTask, done].some((one) => one !== undefined)) return "task";
  if (memory !== undefined || noMemory !== undefined) return "memory";
  return answer === undefined ? "remark" : "ask";
}

/** The weights of the features that tell the kinds of these messages best. */
function fit(examples: readonly Example[]): TurnWeights {
  const counts = new Map<string, number>();
  for (const { features } of examples)
    for (const name of features) counts.set(name, (counts.get(name) ?? 0) + 1);
  const frequent = [...counts].flatMap(([name, count]) => (count >= MIN_COUNT ? [name] : []));
  const all = descend(examples, frequent);
  const strength = (name: string): number => Math.max(...(all[name] ?? [0]).map(Math.abs));
  const kept = frequent.toSorted((one, other) => strength(other) - strength(one)).slice(0, MAX_FEATURES);
  return descend(examples, kept);
}

const raise = (values: Float64Array, index: number, amount: number): void => {
  values[index] = (values[index] ?? 0) + amount;
};

/** Multinomial logistic regression by gradient descent with momentum. */
function descend(examples: readonly Example[], names: readonly string[]): TurnWeights {
  const width = TURN_KINDS.length;
  const indexes = new Map(names.map((name, index) => [name, index]));
  const rows = examples.map(({ features, kind }) => {
    const known = features.flatMap((name) => indexes.get(name) ?? []);
    return { known, scale: 1 / Math.sqrt(Math.max(1, known.length)), kind: TURN_KINDS.indexOf(kind) };
  });
  const size = (names.length + 1) * width;
  const weights = new Float64Array(size);
  const speeds = new Float64Array(size);
  for (let round = 0; round < ROUNDS; round += 1) {
    const slopes = weights.map((weight) => PENALTY * weight);
    for (const { known, scale, kind } of rows) {
      const scores = TURN_KINDS.map((_, at) => {
        const sum = known.reduce((total, index) => total + (weights[index * width + at] ?? 0), 0);
        return sum * scale + (weights[names.length * width + at] ?? 0);
      });
      const highest = Math.max(...scores);
      const parts = scores.map((score) => Math.exp(score - highest));
      const whole = parts.reduce((total, part) => total + part, 0);
      for (const [at, part] of parts.entries()) {
        const error = (part / whole - (at === kind ? 1 : 0)) / rows.length;
        for (const index of known) raise(slopes, index * width + at, error * scale);
        raise(slopes, names.length * width + at, error);
      }
    }
    for (let index = 0; index < size; index += 1) {
      speeds[index] = MOMENTUM * (speeds[index] ?? 0) - STEP * (slopes[index] ?? 0);
      raise(weights, index, speeds[index] ?? 0);
    }
  }
  const row = (index: number): number[] =>
    TURN_KINDS.map((_, at) => Math.round(100 * (weights[index * width + at] ?? 0)) / 100);
  return Object.fromEntries([
    [BIAS, row(names.length)],
    ...names.toSorted().map((name): [string, number[]] => [name, row(indexes.get(name) ?? 0)]),
  ]);
}
