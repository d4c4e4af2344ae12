/** Two lines stand side by side when they share at least this much of their words (Dice's coefficient). */
const SIMILAR = 0.4;
/** More pairs than that are not compared: such a block was written anew. */
const MOST_COMPARED = 10_000;

export interface LinePair {
  before?: string;
  after?: string;
  /** They resemble each other: what changed within them can be told. */
  areSimilar: boolean;
}

/**
 * Lines that went and lines that came in their place, in order: those that resemble each other side by side, the rest
 * beside each other as they stand.
 */
export function pairSimilarLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  const pairs: LinePair[] = [];
  let before = 0;
  let after = 0;
  const upTo = (place: number, otherPlace: number, areSimilar = false): void => {
    while (before < place || after < otherPlace) {
      const [one, other] = [removed[before], added[after]];
      pairs.push({
        ...(before < place && one !== undefined && { before: one }),
        ...(after < otherPlace && other !== undefined && { after: other }),
        areSimilar,
      });
      before = Math.min(before + 1, place);
      after = Math.min(after + 1, otherPlace);
    }
  };
  for (const [place, otherPlace] of similarPlaces(removed, added)) {
    upTo(place, otherPlace);
    upTo(place + 1, otherPlace + 1, true);
  }
  upTo(removed.length, added.length);
  return pairs;
}

/** Places of lines that belong together: the choice, in order, that resembles most. */
function similarPlaces(removed: readonly string[], added: readonly string[]): [number, number][] {
  if (removed.length * added.length > MOST_COMPARED) return [];
  const ones = removed.map(wordsOf);
  const others = added.map(wordsOf);
  const likeness = ones.map((one) => others.map((other) => dice(one, other)));
  /** How much can still resemble from here on. */
  const best = Array.from({ length: removed.length + 1 }, () => Array<number>(added.length + 1).fill(0));
  const at = (table: readonly number[][], place: number, otherPlace: number): number =>
    table[place]?.[otherPlace] ?? 0;
  const together = (place: number, otherPlace: number): number => {
    const like = at(likeness, place, otherPlace);
    return like < SIMILAR ? 0 : like + at(best, place + 1, otherPlace + 1);
  };
  for (const [place, row] of [...best.entries()].slice(0, -1).reverse())
    for (let otherPlace = added.length - 1; otherPlace >= 0; otherPlace -= 1)
      row[otherPlace] = Math.max(
        together(place, otherPlace),
        at(best, place + 1, otherPlace),
        at(best, place, otherPlace + 1),
      );
  const places: [number, number][] = [];
  for (let place = 0, otherPlace = 0; place < removed.length && otherPlace < added.length;) {
    const most = at(best, place, otherPlace);
    if (most > 0 && most === together(place, otherPlace)) places.push([place++, otherPlace++]);
    else if (most === at(best, place + 1, otherPlace)) place += 1;
    else otherPlace += 1;
  }
  return places;
}

function wordsOf(line: string): ReadonlySet<string> {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu));
}

function dice(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size + other.size === 0) return 0;
  return (2 * [...one].filter((word) => other.has(word)).length) / (one.size + other.size);
}
