import { distance } from "fastest-levenshtein";

type Typo = "transposed" | "missing" | "added" | "replaced";

/** Returns the single typo that turns `meant` into `typed`; undefined for none or more than one. */
export function singleTypo(typed: string, meant: string): Typo | undefined {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start++;
  let tail = 0;
  while (tail < Math.min(typed.length, meant.length) - start && typed.at(-1 - tail) === meant.at(-1 - tail))
    tail++;
  const wrong = typed.slice(start, typed.length - tail);
  const right = meant.slice(start, meant.length - tail);
  if (wrong.length === 0 && right.length === 1) return "missing";
  if (wrong.length === 1 && right.length === 0) return "added";
  if (wrong.length === 1 && right.length === 1) return "replaced";
  return wrong.length === 2 && wrong[0] === right[1] && wrong[1] === right[0] && right.length === 2
    ? "transposed"
    : undefined;
}

/**
 * True if `typed` is a likely typo of `meant`. The rules depend on length, because short words have many neighbors.
 * The first letter must match, because another first letter often makes another word.
 */
export function isTypo(typed: string, meant: string): boolean {
  return typoTest(typed)(meant);
}

/** `isTypo` for many words that may be meant: what depends on the typed word alone is found out once. */
export function typoTest(typed: string): (meant: string) => boolean {
  const released = isHeldAnywhere(typed) ? releasedKeys(typed) : undefined;
  const hasNoVowels = typed.length >= 3 && !/[aeiou]/.test(typed);
  const undoubled = /(.)\1/.test(typed) ? typed.replace(/(.)\1/, "$1") : undefined;

  return (meant) => {
    if (typed === meant || typed[0] !== meant[0]) return false;
    if (hasNoVowels && meant.replace(/[aeiou]/gu, "") === typed) return true;
    if (meant === released) return true;
    // The length of most words rules them out, and a search compares thousands.
    if (Math.abs(typed.length - meant.length) > 2 || typed.length < 4 || meant.length < 4) return false;
    switch (singleTypo(typed, meant)) {
      case "transposed":
        return true;
      case "missing":
        return meant.length >= 5;
      case "added":
        return undoubled === meant || meant.length >= 6;
      case "replaced":
        return meant.length >= 6;
      case undefined:
        return (
          (meant.length >= 8 && typed.length >= 7 && distance(typed, meant) === 2) ||
          (meant.length >= 8 && typed.length >= 6 && isSkipping(typed, meant))
        );
    }
  };
}

/** True for a word with a key that was held too long: "addd". */
function isHeldAnywhere(typed: string): boolean {
  return /(\p{L})\1\1/u.test(typed);
}

/** The word without what a held key repeats: "add" for "addd". */
function releasedKeys(typed: string): string {
  return typed.replace(/(\p{L})\1{2,}/gu, "$1$1");
}

/** True if `typed` only leaves out two letters in the middle of `meant`: "rember" for "remember". */
function isSkipping(typed: string, meant: string): boolean {
  if (meant.length - typed.length !== 2 || typed.at(-1) !== meant.at(-1)) return false;
  let index = 0;
  for (const letter of meant) if (letter === typed[index]) index++;
  return index === typed.length;
}

/**
 * Returns the `vocabulary` word of which `typed` is a typo; undefined if words of different meaning qualify.
 * `canonicalWord` maps synonyms to one word.
 */
export function correctSpelling(
  typed: string,
  vocabulary: Iterable<string>,
  canonicalWord: (word: string) => string,
): string | undefined {
  if (NEVER_TYPOS.has(typed) || !/^\p{L}{3,32}$/u.test(typed)) return undefined;
  const meant = { likely: new Set<string>(), other: new Set<string>() };
  const isMeant = typoTest(typed);
  for (const word of vocabulary) {
    if (!isMeant(word)) continue;
    // Two letters in the wrong order are the most likely slip: "taks" is "task", not "talks".
    const isLikely =
      singleTypo(typed, word) === "transposed" || (isHeldAnywhere(typed) && releasedKeys(typed) === word);
    meant[isLikely ? "likely" : "other"].add(word);
  }
  const words = [...(meant.likely.size > 0 ? meant.likely : meant.other)];
  return new Set(words.map(canonicalWord)).size === 1 ? words[0] : undefined;
}

/**
 * Common words that are one typo away from a command word but mean something else: "lost my tasks" is not "list my
 * tasks". They are never treated as typos. Source: comparison of the built-in vocabulary with a word-frequency list.
 */
const NEVER_TYPOS: ReadonlySet<string> = new Set(
  (
    "abel alrighty bank bein bing brig brilliance brilliantly brother caller calmed cancer captains cath " +
    "chance charge cheated cheeks cold commandos commend comments compete complex composer concepts " +
    "concerts connects consent contacting contest contests context continents continuing convent creamed " +
    "crease cremated curtains dealing decline deer delicate ding directly director directors dong dose " +
    "ease editing ever exciting exit exits extent famished fiend fist fixtures flies flowing folded forge " +
    "forged forgot form fractures fried furnished futures gong greta hall halo hell incense insect " +
    "intruding kids late latter leading leaking leaning leaping lowe manny marker market masked massage " +
    "moaning mode mourning override parson persona pint popsicle raining rally regain reindeer remainder " +
    "remote retain reward rewind rise root scaring scored seating sequence sharing shouldn sick " +
    "skating skulls sore sorting sporting spying stabbing staging stalking stalling standing star starch " +
    "staring starling starring starter startled startling starved starving stat stated states stating " +
    "stats sterling stirring stoned stoop tank tanks thee thingy thorough three tile transform trough " +
    "understood whee wonderfully workplace writ"
  ).split(" "),
);
