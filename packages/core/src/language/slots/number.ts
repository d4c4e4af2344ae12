import { given, type SlotInput, type SlotMatch } from "./slot-reader.ts";

const NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

export function* readNumber({ tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const token = from < to ? tokens[from] : undefined;
  if (token?.kind !== "word") return;
  const value = /^\d{1,9}$/.test(token.text) ? Number(token.text) : NUMBER_WORDS.indexOf(token.text);
  if (value > 0) yield { end: from + 1, value: given(value), typed: 1, free: 0 };
}
