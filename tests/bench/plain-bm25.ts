/**
 * The baseline for recall: BM25 with k1 = 1.2 and b = 0.75, each query term counted once, without stems and stop words.
 * Returns ids for a query, best first.
 */
export function plainBm25(documents: readonly { id: string; text: string }[]): (query: string) => string[] {
  const indexed = documents.map(({ id, text }) => {
    const terms = termsOf(text);
    const counts = new Map<string, number>();
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    return { id, counts, length: terms.length };
  });
  const frequencies = new Map<string, number>();
  for (const { counts } of indexed)
    for (const term of counts.keys()) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  const averageLength = indexed.reduce((sum, { length }) => sum + length, 0) / indexed.length;

  return (query) => {
    const terms = new Set(termsOf(query));
    return indexed
      .map(({ id, counts, length }) => {
        let score = 0;
        for (const term of terms) {
          const count = counts.get(term) ?? 0;
          const frequency = frequencies.get(term) ?? 0;
          const rarity = Math.log(1 + (indexed.length - frequency + 0.5) / (frequency + 0.5));
          score += (rarity * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / averageLength));
        }
        return { id, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ id }) => id);
  };
}

function termsOf(text: string): string[] {
  const split = text
    .normalize("NFKC")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
  return split.match(/[\p{L}\p{N}]+/gu) ?? [];
}
