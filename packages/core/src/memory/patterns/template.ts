import { align, similarity } from "./align.ts";
import { type RequestWord, requestWords, type SlotKind, weightOf } from "./request-words.ts";

export interface PatternSlot {
  /** The name in the template, without braces. */
  name: string;
  kind: SlotKind;
  /** The distinct values, in order of occurrence. */
  values: string[];
}

export interface Template {
  /** The words that all members share, with `{slots}` where they differ. */
  text: string;
  slots: PatternSlot[];
}

const MAX_VALUES = 10;

/** Renders a shape as a template and collects the values of each slot. A slot with a single value becomes text. */
export function patternTemplate(
  shape: readonly RequestWord[],
  members: readonly (readonly RequestWord[])[],
): Template {
  const filled = members.map((member) => slotValues(shape, member));
  const slots: PatternSlot[] = [];
  const counts = new Map<SlotKind, number>();
  const text = shape.map((word, index) => {
    if (!word.slot) return word.text;
    const values = [...new Set(filled.map((filling) => filling.get(index) ?? ""))];
    const [only = ""] = values;
    if (values.length === 1) return only;
    const count = (counts.get(word.slot) ?? 0) + 1;
    counts.set(word.slot, count);
    const name = count === 1 ? word.slot : `${word.slot}${count}`;
    const samples = values.filter((value) => value !== "").slice(0, MAX_VALUES);
    slots.push({ name, kind: word.slot, values: samples });
    return `{${name}}`;
  });
  return { text: text.filter((word) => word !== "").join(" "), slots };
}

/** The values of a request for the slots of a shape, by slot index. */
function slotValues(shape: readonly RequestWord[], request: readonly RequestWord[]): Map<number, string> {
  const found = new Map<number, string>();
  let position = 0;
  let index = 0;
  const between = (nextPlace: number, nextAt: number): void => {
    const free = shape.slice(position, nextPlace).findIndex((word) => word.slot === "words");
    const words = request.slice(index, nextAt).map(({ text }) => text);
    if (free !== -1) found.set(position + free, words.join(" "));
  };
  for (const [nextPlace, nextAt] of align(shape, request)) {
    between(nextPlace, nextAt);
    const text = request[nextAt]?.text;
    if (shape[nextPlace]?.slot && text !== undefined) found.set(nextPlace, text);
    position = nextPlace + 1;
    index = nextAt + 1;
  }
  between(shape.length, request.length);
  return found;
}

/** The minimum share of a request that a template's fixed words must cover. */
const MIN_OWN_SHARE = 0.3;

/** Whether a request fits a template: it contains the template's fixed words in order. */
export function fitsTemplate(template: string, request: string): boolean {
  const shape = requestWords(template);
  const words = requestWords(request);
  const own = weightOf(shape);
  if (own === 0) return false;
  const shared = similarity(shape, words) * Math.max(own, weightOf(words));
  return shared >= own - 1e-9 && own >= MIN_OWN_SHARE * weightOf(words);
}
