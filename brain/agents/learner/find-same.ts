import type { FunctionMemory } from "@metahuman/core/contract/function";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { GeneralisedRun } from "@metahuman/core/functions/generalise/generalise-run";
import { widen, type Widened } from "@metahuman/core/functions/generalise/widen";
import { stem } from "@metahuman/core/language/words";

/** Two requests with at least this share of words in common want the same (design 5.4). */
const SAME_INTENT = 0.7;
const MOST_COMPARED = 200;

/** A function that does what the run did, for the same purpose; with what the run adds to it. */
export interface Known {
  function: FunctionMemory;
  widened: Exclude<Widened, { kind: "different" }>;
}

/** The function that a run is another example of. The same skills for another purpose are another function. */
export async function findSame(
  learned: GeneralisedRun,
  functions: FunctionsPort,
): Promise<Known | undefined> {
  const order = learned.actions.map(({ skill }) => skill);
  const { items } = await functions.listFunctions({ skills: [...new Set(order)], limit: MOST_COMPARED });
  for (const known of items) {
    const actions = known.recipe?.actions.map(({ skill }) => skill) ?? known.examples[0]?.skillSequence ?? [];
    if (actions.join() !== order.join() || !sameIntent(known, learned)) continue;
    const widened = known.recipe
      ? widen(known, learned)
      : { kind: "same" as const, example: learned.example };
    if (widened.kind !== "different") return { function: known, widened };
  }
  return undefined;
}

function sameIntent(known: FunctionMemory, learned: GeneralisedRun): boolean {
  const wanted = contentOf(learned.promptTemplate ?? learned.example.prompt);
  const said = [
    known.title,
    ...(known.recipe?.promptTemplates ?? []),
    ...known.examples.map(({ prompt }) => prompt),
  ];
  return said.some((text) => overlap(wanted, contentOf(text)) >= SAME_INTENT);
}

/** The words around the slots, by their stems. */
function contentOf(text: string): Set<string> {
  const words =
    text
      .replaceAll(/\{\w+\}|<\w+>/g, " ")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.map(stem));
}

/** Dice's coefficient of two sets. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0;
  const shared = [...one].filter((word) => other.has(word)).length;
  return (2 * shared) / (one.size + other.size);
}
