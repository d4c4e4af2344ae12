/**
 * The quality of a run over labelled queries: means over the queries with an answer; an unanswered query counts as 0.
 */
export interface Quality {
  hit1: number;
  hit5: number;
  recall10: number;
  ndcg10: number;
  /**
   * Of the unanswered queries, the share that nothing fits; of those that nothing fits, the share left unanswered; NaN
   * where every query has an answer.
   */
  abstention: { precision: number; recall: number; f1: number };
}

export interface JudgedQuery {
  /** Grades by id; empty if nothing matches. */
  relevant: ReadonlyMap<string, number>;
}

/** `answers`: ids per query, best first. */
export function qualityOf(queries: readonly JudgedQuery[], answers: readonly (readonly string[])[]): Quality {
  const judged = queries.map(({ relevant }, index) => ({
    relevant,
    found: (answers[index] ?? []).slice(0, 10),
  }));
  const answerable = judged.filter(({ relevant }) => relevant.size > 0);
  const mean = (value: (query: (typeof judged)[number]) => number): number =>
    answerable.reduce((sum, query) => sum + value(query), 0) / answerable.length;
  const hit = (depth: number): number =>
    mean(({ relevant, found }) => (found.slice(0, depth).some((id) => relevant.has(id)) ? 1 : 0));

  const silent = judged.filter(({ found }) => found.length === 0);
  const unanswerable = judged.length - answerable.length;
  const rightlySilent = silent.filter(({ relevant }) => relevant.size === 0).length;
  const precision = unanswerable === 0 ? NaN : rightlySilent / silent.length;
  const recall = rightlySilent / unanswerable;
  return {
    hit1: hit(1),
    hit5: hit(5),
    recall10: mean(({ relevant, found }) => found.filter((id) => relevant.has(id)).length / relevant.size),
    ndcg10: mean(
      ({ relevant, found }) => gain(found.map((id) => relevant.get(id) ?? 0)) / gain(best(relevant)),
    ),
    abstention: { precision, recall, f1: (2 * precision * recall) / (precision + recall) },
  };
}

function best(relevant: ReadonlyMap<string, number>): number[] {
  return [...relevant.values()].sort((a, b) => b - a).slice(0, 10);
}

/** Discounted by log2 of the rank (Järvelin & Kekäläinen 2002). */
function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);
}
