import type { Run } from "@metahuman/core/contract/run";
import { truncateLine } from "@metahuman/core/text/format";

const MAX_LENGTH = 80;

/** A value that a person changed in an offer before they accepted it. */
export interface ChangedValue {
  /** The name of the argument. */
  name: string;
  offered: string;
  used: string;
}

/**
 * The arguments in which a run differs from what was offered for the same request in the run before it: a person changed
 * these values before they accepted.
 */
export function changedValues(
  before: Pick<Run, "goal" | "offers"> | undefined,
  run: Pick<Run, "goal" | "scratchpad" | "functionsUsed">,
): ChangedValue[] {
  if (before?.goal !== run.goal) return [];
  const offer = before.offers?.find(({ functionId }) =>
    run.functionsUsed.some(({ id, followed }) => followed && id === functionId),
  );
  const calls = run.scratchpad.flatMap(({ action }) => action ?? []);
  const changed = (offer?.calls ?? []).flatMap(({ args }, index) =>
    Object.entries(args).flatMap(([name, offered]) => {
      const used = calls[index]?.args[name];
      // A value that only an earlier call yields cannot be changed.
      const isValue = typeof offered === "string" && !offered.includes("${");
      return isValue && typeof used === "string" && used !== offered ? [{ name, offered, used }] : [];
    }),
  );
  return [...new Map(changed.map((one) => [JSON.stringify(one), one])).values()];
}

/** A changed value in words. */
export const changedValueText = ({ name, used }: ChangedValue): string =>
  `${name} “${truncateLine(used, MAX_LENGTH)}”`;

/** A part of a request; `used` replaces its text. */
export interface RequestPart {
  text: string;
  used?: string;
}

/**
 * A request with the words that were changed in it, and the changes of words that it does not contain. For a value,
 * only the words that differ count.
 */
export function requestWithChanges(
  request: string,
  changes: readonly ChangedValue[],
): { parts: readonly RequestPart[]; others: readonly ChangedValue[] } {
  let parts: RequestPart[] = [{ text: request }];
  const others: ChangedValue[] = [];
  for (const change of changes) {
    const { offered, used } = changedWords(change);
    const at = parts.findIndex((part) => part.used === undefined && placeOf(offered, part.text) !== -1);
    const part = parts[at];
    if (!part) {
      others.push(change);
      continue;
    }
    const start = placeOf(offered, part.text);
    const split = [
      { text: part.text.slice(0, start) },
      { text: offered, used },
      { text: part.text.slice(start + offered.length) },
    ];
    parts = parts.toSpliced(at, 1, ...split.filter(({ text }) => text !== ""));
  }
  return { parts, others };
}

/** The words of both texts without those, and the marks, that they begin and end with in common. */
function changedWords({ offered, used }: ChangedValue): { offered: string; used: string } {
  const [before, after] = [offered.split(/\s+/u), used.split(/\s+/u)];
  while (before.length > 1 && after.length > 1 && before[0] === after[0]) {
    before.shift();
    after.shift();
  }
  while (before.length > 1 && after.length > 1 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return withoutMarks(before.join(" "), after.join(" "));
}

/** Whether a character is not part of a word, such as a bracket. */
const isMark = (character = "a"): boolean => !/[\p{L}\p{N}]/u.test(character);

/** Two words without the marks that both have around them. */
function withoutMarks(one: string, other: string): { offered: string; used: string } {
  let [start, end] = [0, 0];
  while (isMark(one[start]) && one[start] === other[start]) start += 1;
  while (isMark(one.at(-1 - end)) && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return { offered: one.slice(start, one.length - end), used: other.slice(start, other.length - end) };
}

/** Where words stand in a text as whole words; -1 if they do not. */
function placeOf(words: string, text: string): number {
  for (let at = text.indexOf(words); words !== "" && at !== -1; at = text.indexOf(words, at + 1))
    if (isMark(text[at - 1] ?? " ") && isMark(text[at + words.length] ?? " ")) return at;
  return -1;
}
