import type { FunctionContent, FunctionExample } from "@metahuman/core/contract/function";
import { canonicalJson } from "@metahuman/core/runs/canonical-json";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { replayExample, type ReplayDependencies, type ReplayOutcome } from "./replay-example.ts";
import { isRecordId } from "./scratch-effects.ts";
import { repeatingComposer } from "./vary-example.ts";

type Passed = Extract<ReplayOutcome, { kind: "passed" }>;

/** Two versions of a recipe and the example that both are replayed on. */
export interface ComparedVersions {
  before: FunctionContent;
  after: FunctionContent;
  example: FunctionExample;
  /** The replay of the later version. */
  replayed: Passed;
}

/**
 * What a recipe does otherwise on one of its examples than the version before, in a sentence; undefined for the same
 * result, and if the version before cannot be replayed. Texts that a model composes are not compared.
 */
export async function differenceInResult(
  { before, after, example, replayed }: ComparedVersions,
  parts: ReplayDependencies,
  signal: AbortSignal,
): Promise<string | undefined> {
  const earlierExample = before.examples.find(({ prompt }) => prompt === example.prompt);
  if (!earlierExample) return undefined;
  const composes = [before, after].some(({ recipe }) => composeSteps(recipe).size > 0);
  const composing = composes ? { ...parts, composer: repeatingComposer } : parts;
  const earlier = await replayExample(before, earlierExample, composing, signal);
  const later = composes ? await replayExample(after, example, composing, signal) : replayed;
  return earlier.kind === "passed" && later.kind === "passed"
    ? differenceBetween([before, earlier], [after, later])
    : undefined;
}

function differenceBetween(
  [before, earlier]: readonly [FunctionContent, Passed],
  [after, later]: readonly [FunctionContent, Passed],
): string | undefined {
  const [filesBefore, filesAfter] = [filesOf(earlier), filesOf(later)];
  for (const [path, hash] of filesAfter) {
    const known = filesBefore.get(path);
    if (known === undefined) return `${path} is there afterwards, which it was not before the change.`;
    if (known !== hash) return `${path} has other contents than before the change.`;
  }
  for (const path of filesBefore.keys())
    if (!filesAfter.has(path)) return `${path} is not there afterwards, which it was before the change.`;
  const [callsBefore, callsAfter] = [otherCalls(before, earlier), otherCalls(after, later)];
  const different =
    callsAfter.find((call) => !callsBefore.includes(call)) ??
    callsBefore.find((call) => !callsAfter.includes(call));
  return different === undefined ? undefined : `The call ${different} is not made in both versions.`;
}

/** The files and folders afterwards, with a hash of their contents. */
const filesOf = ({ state }: Passed): ReadonlyMap<string, string> =>
  new Map([...state].filter(([target]) => !isRecordId(target)));

/** The calls that change tasks or memories, and a last call that only reads: their results have new ids and times. */
function otherCalls({ recipe }: FunctionContent, { calls }: Passed): string[] {
  return calls
    .flatMap(({ args, effects }, index) => {
      const isRead = index === calls.length - 1 && effects.length === 0;
      if (!isRead && !effects.some(({ target }) => isRecordId(target))) return [];
      return [`${recipe?.actions[index]?.skill ?? ""} ${withoutIds(args)}`];
    })
    .toSorted();
}

/** The arguments without the ids of records, which are new in each replay, and without the root of paths. */
const withoutIds = (args: Readonly<Record<string, unknown>>): string =>
  canonicalJson(args).replaceAll(/"([^"]*)"/gu, (quoted, text: string) =>
    isRecordId(text) ? '"id"' : quoted.replace(/^"out\//u, '"'),
  );
