import { ARTICLES, FUNCTION_WORDS } from "../words.ts";
import type { SlotInput, SlotMatch } from "./slot-reader.ts";

/** Up to four words that only describe. */
export function* readDescription({ tokens, from, to }: SlotInput): Iterable<SlotMatch> {
  const found: SlotMatch[] = [];
  const start = ARTICLES.has(tokens[from]?.text ?? "") ? from + 1 : from;
  for (let end = start + 1; end <= to && end - start <= 4; end++) {
    const token = tokens[end - 1];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) break;
    found.push({ end, value: { kind: "description" }, typed: 0, free: end - start });
  }
  yield* found.reverse();
}
