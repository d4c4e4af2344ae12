import { diffLines, diffWordsWithSpace } from "diff";
import { lazy } from "./lazy.ts";
import { pairSimilarLines, type LinePair } from "./pair-similar-lines.ts";

/** A stretch of a line, with whether it is only on this side. */
export interface Piece {
  text: string;
  changed: boolean;
}

export interface KeptLine {
  kind: "kept";
  text: string;
}

/** One row of a comparison; a changed one has a side alone where a line came or went. */
export type ComparedRow =
  | KeptLine
  | { kind: "changed"; before?: readonly Piece[]; after?: readonly Piece[] }
  /** Unchanged lines far from any change. */
  | { kind: "gap"; lines: readonly KeptLine[] };

/** Unchanged lines shown around a change. */
const AROUND = 2;
/** Longer lines are told apart as a whole: nobody reads them word by word. */
const LONGEST_LINE = 5_000;
const wordSegmenter = lazy(() => new Intl.Segmenter(undefined, { granularity: "word" }));

/** What leads from `before` to `after`, line by line and, where two lines resemble each other, word by word. */
export function diffTexts(before: string, after: string): ComparedRow[] {
  const pieces = diffLines(before, after, { maxEditLength: 5_000, stripTrailingCr: true }) ?? [
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
  for (const [place, piece] of pieces.entries()) {
    const lines = linesOf(piece.value);
    if (piece.removed) removed.push(...lines);
    else if (piece.added) added.push(...lines);
    else {
      settle();
      rows.push(...keptRows(lines, { first: place === 0, last: place === pieces.length - 1 }));
    }
  }
  settle();
  return rows;
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
    before.length + after.length > LONGEST_LINE
  )
    return {
      kind: "changed",
      ...(before !== undefined && { before: [{ text: before, changed: true }] }),
      ...(after !== undefined && { after: [{ text: after, changed: true }] }),
    };
  const words = diffWordsWithSpace(before, after, { intlSegmenter: wordSegmenter() });
  const side = (other: "added" | "removed"): Piece[] =>
    joined(
      words
        .filter((word) => !word[other])
        .map(({ value, added, removed }) => ({ text: value, changed: added || removed })),
    );
  return { kind: "changed", before: side("added"), after: side("removed") };
}

/** The same pieces, with those that only a space parts as one. */
function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = [];
  for (const [place, piece] of pieces.entries()) {
    const isSpace = piece.text.trim() === "" && whole.at(-1)?.changed === true;
    const changed = piece.changed || (isSpace && pieces[place + 1]?.changed === true);
    const last = whole.at(-1);
    if (last?.changed === changed) last.text += piece.text;
    else whole.push({ text: piece.text, changed });
  }
  return whole;
}
