import { type ScratchpadEntry } from "@metahuman/core/contract/run";
import { type ActionKind, kindsOfTool } from "./action-words.ts";
import { isObserved, type PreparedEvidence } from "./evidence.ts";
import { significantWords, stem } from "./mentions.ts";
import { type ObservedCall, textWithKeys } from "./observed-calls.ts";

/** True for a call that was made, unlike one that was refused because the same call was made before. */
export const wasExecuted = (entry: ScratchpadEntry): boolean =>
  isObserved(entry) && entry.observation?.error?.code !== "LOOP_DETECTED";

/**
 * The calls that failed and were not made good by a later call of the same skill for the same target. A success makes one failure good.
 */
export function openFailures({ source, calls }: PreparedEvidence): ObservedCall[] {
  return openFailuresIn(source.scratchpad.filter(isObserved)).flatMap((index) => calls[index] ?? []);
}

/** As `openFailures`: the positions of these calls among the observed ones. */
export function openFailuresIn(observed: readonly ScratchpadEntry[]): number[] {
  const open: number[] = [];
  for (const [index, entry] of observed.entries()) {
    const at = open.findLastIndex((earlier) => isRepairOf(entry, observed[earlier]));
    if (!wasExecuted(entry)) continue;
    if (entry.observation?.success !== true) open.push(index);
    else if (at !== -1) open.splice(at, 1);
  }
  return open;
}

/**
 * The entries without the calls that were refused for their arguments, so that nothing happened, and then made with others: by the
 * next call, or by a later one for the same target. A text about the run need not mention them.
 */
export const withoutRepaired = (observed: readonly ScratchpadEntry[]): ScratchpadEntry[] =>
  observed.filter((entry, index) => {
    const isRepair = (other: ScratchpadEntry, distance: number): boolean =>
      other.observation?.success === true &&
      other.action?.tool === entry.action?.tool &&
      (distance === 0 || isRepairOf(other, entry));
    return entry.observation?.error?.code !== "INVALID_ARGS" || !observed.slice(index + 1).some(isRepair);
  });

/** A file that was moved after its deletion failed or was denied is not deleted. */
export const isMovedInstead = (
  claimed: ActionKind,
  { tool }: ObservedCall,
  { calls }: PreparedEvidence,
): boolean =>
  claimed === "delete" &&
  mainKindOf(tool) === "move" &&
  calls.some((call) => !call.success && mainKindOf(call.tool) === "delete");

const mainKindOf = (tool: string): ActionKind | undefined => kindsOfTool(tool)[0];

/** The skill of which each call is for one function. */
export const RUNS_FUNCTION = "function_run";

/**
 * True when two calls of one skill have a target in common, apart from its punctuation and its folders, and are not about different
 * parts of one file. A later call that names the target otherwise, such as a task by its id, returns most words of the failed one.
 */
function isRepairOf({ action, observation }: ScratchpadEntry, failed: ScratchpadEntry | undefined): boolean {
  if (action === undefined || action.tool !== failed?.action?.tool) return false;
  if (action.tool === RUNS_FUNCTION) {
    const run = textWithKeys([functionIn(action.args), observation?.outputs?.["function"]]);
    return isMostlyIn(wordsOf(functionIn(failed.action.args)), wordsOf(run));
  }
  const targets = targetsOf(failed.action.args);
  const others = new Set(targetsOf(action.args));
  if (targets.some((target) => others.has(target))) return !areOtherParts(action.args, failed.action.args);
  return (
    observation?.success === true &&
    isMostlyIn(
      wordsOf(valuesIn(namesIn(failed.action.args))),
      wordsOf(textWithKeys([action.args, observation.outputs])),
    )
  );
}

/** True if what a call received and returned has most words of the arguments of another one. */
export const hasMostOf = (args: Record<string, unknown>, shown: readonly unknown[]): boolean =>
  isMostlyIn(wordsOf(valuesIn(args)), wordsOf(textWithKeys(shown)));

/** The texts and numbers of a value, one per line, without field names and paths. */
const valuesIn = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? Object.values(value).map(valuesIn).join("\n")
    : textWithKeys(value).replaceAll(PATH, "");

/** "out/fees.csv": files of one folder or one kind have most words in common. */
const PATH = /^\S*\/\S*$|^\S+\.\p{L}\w{0,4}$/gmu;

/** The function that a call names; models also write `function` for `id`. */
const functionIn = ({ id, function: named }: Record<string, unknown>): string => textWithKeys(id ?? named);

/** Arguments that name a part of a file and its new content. */
const PARTS = ["find", "item", "row", "text", "values"] as const;

/** True if two calls for one file find or add different things: a row of Per is not a second attempt at one of Sofie. */
export function areOtherParts(args: Record<string, unknown>, failed: Record<string, unknown>): boolean {
  const part = partOf(failed);
  const other = new Set(PARTS.flatMap((name) => [...wordsOf(textWithKeys(args[name]))]));
  return typeof failed["path"] === "string" && part.size > 0 && other.size > 0 && !isMostlyIn(part, other);
}

/** The words that a replacement keeps, because they name the part; otherwise all words of the part. */
function partOf(args: Record<string, unknown>): ReadonlySet<string> {
  const found = wordsOf(textWithKeys(args["find"]));
  const put = wordsOf(textWithKeys(args["text"]));
  const kept = new Set([...found].filter((word) => put.has(word)));
  return kept.size > 0 ? kept : new Set(PARTS.flatMap((name) => [...wordsOf(textWithKeys(args[name]))]));
}

const wordsOf = (text: string): ReadonlySet<string> => new Set(significantWords(text).map(stem));

const isMostlyIn = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  words.size > 0 && [...words].filter((word) => others.has(word)).length * 2 > words.size;

/** What the arguments name: an id, a title. */
const namesIn = (args: Record<string, unknown>): string =>
  Object.entries(args)
    .flatMap(([name, value]) => (typeof value === "string" && !DETAILS.has(name) ? [value] : []))
    .join("\n");

/** Arguments that say how or when, not what a call is for. */
const DETAILS: ReadonlySet<string> = new Set(
  "action content date due find overwrite priority status tags time to when".split(" "),
);

/** Longer arguments are texts, not targets; in characters. */
const MAX_TARGET_LENGTH = 120;

const targetsOf = (args: Record<string, unknown>): string[] =>
  Object.entries(args).flatMap(([name, value]) =>
    typeof value === "string" && !DETAILS.has(name) && value.length <= MAX_TARGET_LENGTH
      ? [foldFileName(value)]
      : [],
  );

const foldFileName = (value: string): string =>
  (value.toLowerCase().split("/").at(-1) ?? value).replaceAll(/[^\p{L}\p{N}]/gu, "");
