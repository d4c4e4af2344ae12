import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { jaccardIndex } from "@metahuman/core/text/overlap";
import { contentStems } from "@metahuman/core/text/words";

/** The word overlap from which two observations count as near duplicates. */
const NEARLY_SAME = 0.6;
/** The share of a merged text's words that must occur in its sources; the rest is grammar. */
const COVERED = 0.7;

/** Returns groups of near-duplicate observations of equal trust without pinned ones, oldest first. */
export function nearDuplicates(records: readonly MemoryRecord[]): MemoryRecord[][] {
  const groups: { stems: Set<string>; members: MemoryRecord[] }[] = [];
  for (const record of [...records].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (record.type !== "observation" || record.pinned) continue;
    const stems = stemsOf(record.content);
    const group = groups.find(
      (other) => other.members[0]?.trust === record.trust && jaccardIndex(other.stems, stems) >= NEARLY_SAME,
    );
    if (group) group.members.push(record);
    else groups.push({ stems, members: [record] });
  }
  return groups.map(({ members }) => members).filter((members) => members.length > 1);
}

/** Whether a merged text only contains what its sources contain. */
export function isCovered(merged: string, sources: readonly MemoryRecord[]): boolean {
  const known = new Set(sources.flatMap(({ content }) => [...stemsOf(content)]));
  const stems = [...stemsOf(merged)];
  return stems.length > 0 && stems.filter((stem) => known.has(stem)).length >= COVERED * stems.length;
}

function stemsOf(text: string): Set<string> {
  return contentStems(text.slice(0, 5_000));
}
