import { describe, expect, it } from "vitest";
import { calibrationOf } from "./calibration.ts";
import type { IndexedEntry } from "./candidate.ts";
import { fittingCandidates } from "./fit.ts";

const COLLECTION = 400;
/** The BM25 score that is a fit in a collection of 400. */
const FIT_SCORE = 10.5;

const describeAll = (items: readonly number[]): IndexedEntry[] =>
  items.map((item) => ({
    item,
    id: `memory-${item}`,
    path: `memory-${item}.json`,
    type: "observation",
    timestamp: "2026-11-26T10:00:00.000Z",
    importance: 0.5,
    pinned: false,
    context: {},
    shared: [],
    stems: new Uint32Array(),
    failed: false,
    occasion: null,
  }));

/** The ids found if the first memory fits by words, and others are nearer by meaning. */
function found({
  nearest,
  similarity = 0.2,
  coverage = 0.2,
  collection = COLLECTION,
  embedder = "built-in-2",
  orNearest,
}: {
  nearest: number;
  similarity?: number;
  coverage?: number;
  collection?: number;
  embedder?: string;
  orNearest?: boolean;
}): string[] {
  const byWords = Array.from({ length: 8 }, (_, index) => ({
    item: index + 1,
    score: FIT_SCORE * (1.1 - index / 10),
    coverage: index === 0 ? coverage : 0.1,
    matched: ["game"],
  }));
  const { candidates } = fittingCandidates(
    {
      byWords,
      byMeaning: [
        { item: nearest, similarity: Math.max(similarity, 0.3) },
        { item: 1, similarity },
      ],
      describe: describeAll,
    },
    { calibration: calibrationOf(embedder), collection, withFailures: false, orNearest },
  );
  return candidates.map(({ entry }) => entry.id);
}

describe("the fit of candidates", () => {
  it("doubts a match by few words if the nearest by meaning hardly shares them", () => {
    expect(found({ nearest: 90 })).toEqual([]);
    expect(found({ nearest: 2 })).toContain("memory-1");
  });

  it("lists what is doubted if the nearest are asked for, and only what fits if something does", () => {
    expect(found({ nearest: 90, orNearest: true })).toContain("memory-1");
    expect(found({ nearest: 2, orNearest: true })).toEqual(found({ nearest: 2 }));
  });

  it("doubts nothing that is near in meaning", () => {
    expect(found({ nearest: 90, similarity: 0.45 })).toContain("memory-1");
  });

  it("doubts nothing that contains the words of the request", () => {
    expect(found({ nearest: 90, coverage: 1, similarity: 0 })).toContain("memory-1");
  });

  it("doubts nothing in a small or a very large collection, or with an embedder without measurements of doubt", () => {
    expect(found({ nearest: 90, collection: 40 })).toContain("memory-1");
    expect(found({ nearest: 90, coverage: 0.8, collection: 100_000 })).toContain("memory-1");
    expect(found({ nearest: 90, embedder: "ollama/some-embedder" })).toContain("memory-1");
  });
});
