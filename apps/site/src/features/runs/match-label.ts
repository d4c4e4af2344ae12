/** How well something fits a request, in words, by its score from 0 to 1. */
export function matchLabel(score: number): string {
  if (score >= 0.75) return "strong match";
  return score >= 0.5 ? "good match" : "weak match";
}

/** The words in the id of a memory, which begins with its time: "evt-20261123T045858000Z-garage-code" → "garage code". */
export function wordsOfId(id: string): string {
  const words = id
    .replace(/^evt-\d+T\d+Z-/u, "")
    .replaceAll("-", " ")
    .trim();
  return words === "" ? id : words;
}
