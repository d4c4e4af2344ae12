import { given, type SlotInput, type SlotMatch } from "./slot-reader.ts";

/** "In December", "in 3 days"; before these "in" belongs to the words before: "fill it in tomorrow". */
const NOT_AFTER_IN =
  /^(?:today|tonight|tomorrow|tmrw?|this|next|on|at|by|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?)$/;

/** A day or a moment that begins here; a preposition that the phrase has already taken may be part of it. */
export function* readDate({ dates, tokens, from, to, slot, afterOpen }: SlotInput): Iterable<SlotMatch> {
  if (!afterOpen && tokens[from - 1]?.text === "in" && NOT_AFTER_IN.test(tokens[from]?.text ?? "")) return;
  for (const span of dates()) {
    if (span.to <= to && span.to > from && (span.from === from || span.from === from - 1)) {
      yield {
        end: span.to,
        value: given(slot.last ? span.last : span.value),
        typed: span.to - from,
        free: 0,
      };
    }
  }
}
