import { diffLines, diffWordsWithSpace } from "diff";
import { lazy } from "./lazy.ts";
import { diceCoefficient } from "@metahuman/core/text/overlap";

/** A piece of a line, and whether it is only on this side. */
export interface Piece {
  text: string;
  changed: boolean;
}

export interface KeptLine {
  kind: "kept";
  text: string;
}

/** One row of a comparison; a changed row has one side only if a line was added or removed. */
export type ComparedRow =
  | KeptLine
  | { kind: "changed"; before?: readonly Piece[]; after?: readonly Piece[] }
  /** Unchanged lines far from any change. */
  | { kind: "gap"; lines: readonly KeptLine[] };

/** Unchanged lines shown around a change. */
const AROUND = 2;
/** Longer lines are compared as a whole, not word by word. */
const MAX_LINE_LENGTH = 5_000;
const wordSegmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "word" }));

/** The difference between `before` and `after`, line by line and, for similar lines, word by word. */
export function diffTexts(before: string, after: string): ComparedRow[] {
  // A missing newline at the end is not a visible difference.
  const options = { maxEditLength: 5_000, stripTrailingCr: true };
  const pieces = diffLines(endLine(before), endLine(after), options) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const rows: ComparedRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const settle = (): void => {
    rows.push(...pairSimilarLines(removed, added).map(changedRow));
    removed = [];
    added = [];
  };
  for (const [index, piece] of pieces.entries()) {
    const lines = linesOf(piece.value);
    if (piece.removed) removed.push(...lines);
    else if (piece.added) added.push(...lines);
    else {
      settle();
      rows.push(...keptRows(lines, { first: index === 0, last: index === pieces.length - 1 }));
    }
  }
  settle();
  return rows;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function keptRows(lines: readonly string[], { first, last }: { first: boolean; last: boolean }) {
  const kept = lines.map((text): KeptLine => ({ kind: "kept", text }));
  const head = first ? 0 : AROUND;
  const tail = last ? 0 : AROUND;
  if (kept.length - head - tail < 2) return kept;
  const gap = { kind: "gap" as const, lines: kept.slice(head, kept.length - tail) };
  return [...kept.slice(0, head), gap, ...kept.slice(kept.length - tail)];
}

function changedRow({ before, after, areSimilar }: LinePair): ComparedRow {
  if (
    before === undefined ||
    after === undefined ||
    !areSimilar ||
    before.length + after.length > MAX_LINE_LENGTH
  )
    return {
      kind: "changed",
      ...(before !== undefined && { before: [{ text: before, changed: true }] }),
      ...(after !== undefined && { after: [{ text: after, changed: true }] }),
    };
  const words = diffWordsWithSpace(before, after, { intlSegmenter: wordSegmenter() });
  const side = (other: "added" | "removed"): Piece[] =>
    joinPieces(
      words
        .filter((word) => !word[other])
        .map(({ value, added, removed }) => ({ text: value, changed: added || removed })),
    );
  return { kind: "changed", before: side("added"), after: side("removed") };
}

/** Joins pieces that only a space separates. */
function joinPieces(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const isSpace = piece.text.trim() === "" && whole.at(-1)?.changed === true;
    const changed = piece.changed || (isSpace && pieces[index + 1]?.changed === true);
    const last = whole.at(-1);
    if (last?.changed === changed) last.text += piece.text;
    else whole.push({ text: piece.text, changed });
  }
  return whole;
}

/** Two lines are shown side by side if they share at least this much of their words (Dice's coefficient). */
const SIMILAR = 0.4;
/** The maximum number of compared pairs: a larger block counts as rewritten. */
const MAX_COMPARED = 10_000;

interface LinePair {
  before?: string;
  after?: string;
  /** Similar lines: their differences are shown within the line. */
  areSimilar: boolean;
}

/** Pairs removed and added lines, in order: similar lines side by side, the others in sequence. */
function pairSimilarLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  const pairs: LinePair[] = [];
  let before = 0;
  let after = 0;
  const upTo = (index: number, otherPlace: number, areSimilar = false): void => {
    while (before < index || after < otherPlace) {
      const [one, other] = [removed[before], added[after]];
      pairs.push({
        ...(before < index && one !== undefined && { before: one }),
        ...(after < otherPlace && other !== undefined && { after: other }),
        areSimilar,
      });
      before = Math.min(before + 1, index);
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

/** The pairs of similar lines, in order, with the greatest total similarity. */
function similarPlaces(removed: readonly string[], added: readonly string[]): [number, number][] {
  if (removed.length * added.length > MAX_COMPARED) return [];
  const ones = removed.map(lineWords);
  const others = added.map(lineWords);
  const likeness = ones.map((one) => others.map((other) => diceCoefficient(one, other)));
  /** The greatest total similarity from here on. */
  const best = Array.from({ length: removed.length + 1 }, () => Array<number>(added.length + 1).fill(0));
  const at = (table: readonly number[][], index: number, otherPlace: number): number =>
    table[index]?.[otherPlace] ?? 0;
  const together = (index: number, otherPlace: number): number => {
    const like = at(likeness, index, otherPlace);
    return like < SIMILAR ? 0 : like + at(best, index + 1, otherPlace + 1);
  };
  for (const [place, row] of [...best.entries()].slice(0, -1).reverse())
    for (let otherPlace = added.length - 1; otherPlace >= 0; otherPlace -= 1)
      row[otherPlace] = Math.max(
        together(place, otherPlace),
        at(best, place + 1, otherPlace),
        at(best, place, otherPlace + 1),
      );
  const places: [number, number][] = [];
  for (let index = 0, otherPlace = 0; index < removed.length && otherPlace < added.length;) {
    const most = at(best, index, otherPlace);
    if (most > 0 && most === together(index, otherPlace)) places.push([index++, otherPlace++]);
    else if (most === at(best, index + 1, otherPlace)) index += 1;
    else otherPlace += 1;
  }
  return places;
}

function lineWords(line: string): ReadonlySet<string> {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu));
}
