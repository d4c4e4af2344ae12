import { diffLines } from "diff";

/** One line of a comparison, or how many unchanged ones were left out. */
export type LineChange =
  { kind: "kept" | "removed" | "added"; text: string } | { kind: "gap"; lines: number };

/** Unchanged lines shown around a change. */
const AROUND = 2;

/** What leads from `before` to `after`, line by line, with long unchanged stretches left out. */
export function lineChanges(before: string, after: string): LineChange[] {
  const pieces = diffLines(before, after, { maxEditLength: 5_000, stripTrailingCr: true }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  return pieces.flatMap(({ removed, added, value }, index): LineChange[] => {
    const lines = value.replace(/\n$/, "").split("\n");
    if (value === "") return [];
    if (removed) return lines.map((text) => ({ kind: "removed", text }));
    if (added) return lines.map((text) => ({ kind: "added", text }));
    const kept = (texts: string[]) => texts.map((text): LineChange => ({ kind: "kept", text }));
    const head = index === 0 ? 0 : AROUND;
    const tail = index === pieces.length - 1 ? 0 : AROUND;
    const hidden = lines.length - head - tail;
    if (hidden < 2) return kept(lines);
    return [
      ...kept(lines.slice(0, head)),
      { kind: "gap", lines: hidden },
      ...kept(lines.slice(lines.length - tail)),
    ];
  });
}
