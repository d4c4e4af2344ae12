import { ARTICLES, FUNCTION_WORDS } from "../tokens/words.ts";
import { givenValue, textBetween, type SlotInput, type SlotMatch } from "./slot-reader.ts";

/** "Two files" is a number of files, and after "called" the name has yet to come. */
const NOT_A_NAME =
  /^(?:called|named|titled|\d+|two|three|four|five|six|seven|eight|nine|ten|several|many|few|couple|multiple|new|different|same|whole|entire)$/;
const MAX_WORDS = 6;

/** Converts "Trip Notes" to `trip-notes.txt`. Keeps letters of every script. */
function fileNameOf(words: string): string {
  const slug = words
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['’]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${slug}.txt`;
}

/** Reads a few plain words as a file name, or a file name as written. */
export function* readFilename({ request, tokens, from, to, slot }: SlotInput): Iterable<SlotMatch> {
  const first = from < to ? tokens[from] : undefined;
  if (first?.kind === "quoted" && slot.named && /\S/.test(first.text) && !/[\r\n]/.test(first.text)) {
    yield { end: from + 1, value: givenValue(first.text), typed: 1, free: 0 };
    return;
  }
  if (first?.kind === "path" && slot.named) {
    yield { end: from + 1, value: givenValue(first.text), typed: 1, free: 0 };
    return;
  }
  const start = ARTICLES.has(first?.text ?? "") ? from + 1 : from;
  const found: SlotMatch[] = [];
  for (let end = start + 1; end <= to && end - start <= MAX_WORDS; end++) {
    const token = tokens[end - 1];
    if (token?.kind !== "word" || FUNCTION_WORDS.has(token.text)) break;
    if (end - start === 1 && (NOT_A_NAME.test(token.text) || slot.except?.includes(token.text))) break;
    if (slot.ending !== undefined && (token.text !== slot.ending || end - start === 1)) continue;
    const name = fileNameOf(textBetween(request, tokens, start, end));
    if (name === ".txt") break;
    found.push({ end, value: givenValue(name, slot.named !== true), typed: 0, free: end - start });
  }
  yield* found.reverse();
}
