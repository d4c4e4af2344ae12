import type { FunctionMemory, Recipe } from "@metahuman/core/contract/function";
import { piecesOf, sourcesIn } from "@metahuman/core/contract/placeholders";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { GeneralisedRun } from "@metahuman/core/functions/learning/generalise-run";
import type { StoredFunction } from "@metahuman/core/functions/store/stored-function";
import { widen, type Widened } from "@metahuman/core/functions/learning/widen";
import { diceCoefficient } from "@metahuman/core/text/overlap";
import { withoutRepeats } from "./widen-guide.ts";
import { stem } from "@metahuman/core/language/tokens/words";

/** Two requests with at least this share of words in common want the same. */
const SAME_INTENT = 0.7;
const MOST_COMPARED = 200;

/** A function that does what the run did, for the same purpose; with what the run adds to it. */
export interface Known<Item extends StoredFunction = FunctionMemory> {
  function: Item;
  widened: Exclude<Widened, { kind: "different" }>;
}

/** The function that a run is another example of. The same skills for another purpose are another function. */
export async function findSame(
  learned: GeneralisedRun,
  functions: FunctionsPort,
): Promise<Known | undefined> {
  const order = learned.actions.map(({ skill }) => skill);
  const { items } = await functions.listFunctions({ skills: [...new Set(order)], limit: MOST_COMPARED });
  return sameAmong(items, learned);
}

/** The first of these functions that the run is another example of. */
export function sameAmong<Item extends StoredFunction>(
  functions: readonly Item[],
  learned: GeneralisedRun,
): Known<Item> | undefined {
  const order = learned.actions.map(({ skill }) => skill);
  for (const known of functions) {
    const actions = known.recipe?.actions.map(({ skill }) => skill) ?? known.examples[0]?.skillSequence ?? [];
    // Guides say "for each": how often a call repeats makes no other function.
    const areGuides = !known.recipe && !known.code && !learned.isReplayable;
    const [mine, theirs] = areGuides ? [withoutRepeats(actions), withoutRepeats(order)] : [actions, order];
    if (mine.join() !== theirs.join()) continue;
    const widened = known.recipe
      ? widen(known, learned)
      : { kind: "same" as const, example: learned.example };
    if (widened.kind === "different") continue;
    if (sameIntent(known, learned) || isReworded(known, learned, widened))
      return { function: known, widened };
  }
  return undefined;
}

function sameIntent(known: StoredFunction, learned: GeneralisedRun): boolean {
  const wanted = contentOf(learned.promptTemplate ?? learned.example.prompt);
  const said = [
    known.title,
    ...(known.recipe?.promptTemplates ?? []),
    ...known.examples.map(({ prompt }) => prompt),
  ];
  return said.some((text) => diceCoefficient(wanted, contentOf(text)) >= SAME_INTENT);
}

/**
 * The very same calls, asked for in quite other words: the same deed where the calls themselves tell what they are for,
 * or where they were told the same.
 */
function isReworded(
  { recipe, examples }: StoredFunction,
  learned: GeneralisedRun,
  widened: Widened,
): boolean {
  if (!recipe || widened.kind !== "wider" || !widened.onlyWording) return false;
  const values = valuesIn(learned.example);
  return (
    isOneProcedure(recipe) ||
    namesItsPurpose(recipe) ||
    examples.some((example) => diceCoefficient(values, valuesIn(example)) >= SAME_INTENT)
  );
}

/** Each call goes on with what an earlier one gave. */
function isOneProcedure({ actions: [, ...later] }: Recipe): boolean {
  return later.length > 0 && later.every(({ args }) => sourcesIn(args).some(({ kind }) => kind === "step"));
}

/** A text of its own stands around the slots, as the folder in `lists/${name}.md`; an ending says nothing. */
function namesItsPurpose({ actions }: Recipe): boolean {
  return actions.some(({ args }) =>
    Object.values(args).some((value) => {
      if (typeof value !== "string" || sourcesIn(value).length === 0) return false;
      const own = piecesOf(value).filter((piece) => typeof piece === "string");
      return /\p{L}{3}/u.test(
        own
          .join(" ")
          .replace(/\.\w+$/u, "")
          .replace(/^(?:out|inbox)\//u, ""),
      );
    }),
  );
}

function valuesIn({ parameters = {} }: Pick<FunctionMemory["examples"][number], "parameters">): Set<string> {
  return contentOf(Object.values(parameters).map(String).join(" "));
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
