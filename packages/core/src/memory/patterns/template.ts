import { align, likeness } from "./align.ts";
import { type RequestWord, requestWords, type SlotKind, weightOf } from "./request-words.ts";

export interface PatternSlot {
  /** As in the template, without braces. */
  name: string;
  kind: SlotKind;
  /** What stood there, each once, as it came. */
  values: string[];
}

export interface Template {
  /** What all members say, with `{slots}` where they differ. */
  text: string;
  slots: PatternSlot[];
}

const MOST_VALUES = 10;

/** Puts a shape into words, and tells what its members put into each slot; a slot that never changes is no slot. */
export function templateOf(
  shape: readonly RequestWord[],
  members: readonly (readonly RequestWord[])[],
): Template {
  const filled = members.map((member) => fillings(shape, member));
  const slots: PatternSlot[] = [];
  const counts = new Map<SlotKind, number>();
  const text = shape.map((word, place) => {
    if (!word.slot) return word.text;
    const values = [...new Set(filled.map((filling) => filling.get(place) ?? ""))];
    const [only = ""] = values;
    if (values.length === 1) return only;
    const count = (counts.get(word.slot) ?? 0) + 1;
    counts.set(word.slot, count);
    const name = count === 1 ? word.slot : `${word.slot}${count}`;
    const said = values.filter((value) => value !== "").slice(0, MOST_VALUES);
    slots.push({ name, kind: word.slot, values: said });
    return `{${name}}`;
  });
  return { text: text.filter((word) => word !== "").join(" "), slots };
}

/** What a request puts into the slots of a shape, by their places. */
function fillings(shape: readonly RequestWord[], request: readonly RequestWord[]): Map<number, string> {
  const found = new Map<number, string>();
  let place = 0;
  let said = 0;
  const between = (nextPlace: number, nextSaid: number): void => {
    const free = shape.slice(place, nextPlace).findIndex((word) => word.slot === "words");
    const words = request.slice(said, nextSaid).map(({ text }) => text);
    if (free !== -1) found.set(place + free, words.join(" "));
  };
  for (const [nextPlace, nextSaid] of align(shape, request)) {
    between(nextPlace, nextSaid);
    const text = request[nextSaid]?.text;
    if (shape[nextPlace]?.slot && text !== undefined) found.set(nextPlace, text);
    place = nextPlace + 1;
    said = nextSaid + 1;
  }
  between(shape.length, request.length);
  return found;
}

/** Of a request, this much must be what the template itself says. */
const LEAST_OWN_SHARE = 0.3;

/** Whether a request is of the form of a template: all that the template says is said, in order. */
export function fitsTemplate(template: string, request: string): boolean {
  const shape = requestWords(template);
  const said = requestWords(request);
  const own = weightOf(shape);
  if (own === 0) return false;
  const shared = likeness(shape, said) * Math.max(own, weightOf(said));
  return shared >= own - 1e-9 && own >= LEAST_OWN_SHARE * weightOf(said);
}
