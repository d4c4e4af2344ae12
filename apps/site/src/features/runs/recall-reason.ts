// Apart from `trace-text.ts`, which the chat loads at first.

/**
 * The reason for which a memory was given or left out, in words: "has 50 % of the words of the request, similar in meaning" for
 * "words (has 50 % of the words of the request), meaning (similar in meaning (0.65 of 1))".
 */
export function reasonInWords(reason: string): string {
  return reason
    .replaceAll(/\s*\(\d+(?:\.\d+)? of 1\)/gu, "")
    .replaceAll(/\bimportance \d+(?:\.\d+)?/gu, "importance")
    .replaceAll(/(?<=^|, )\p{L}+ \(([^()]*)\)/gu, "$1");
}
