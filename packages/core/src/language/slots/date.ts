import { given, type SlotInput, type SlotMatch } from "./slot-reader.ts";

/** A day or a moment that begins here; a preposition that the phrase has already taken may be part of it. */
export function* readDate({ dates, from, to, slot }: SlotInput): Iterable<SlotMatch> {
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
