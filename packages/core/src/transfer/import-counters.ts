import type { ImportItem } from "../contract/transfer.ts";
import { MemoryUse } from "../memory/uses/memory-uses.ts";
import { checkedText } from "./check-json.ts";
import type { Importer, ImportOptions, ImportTarget } from "./import-profile.ts";

const AT_ONCE = 1_000;

/** The uses of memories, one a line. They count once, however often they are imported. */
export function importCounters(
  { uses }: ImportTarget,
  { apply }: ImportOptions,
  note: (item: ImportItem) => void,
): Importer {
  return {
    async take(entry) {
      const { path } = entry;
      const lines = (await entry.read())
        .toString("utf8")
        .split("\n")
        .filter((line) => line !== "");
      const found: MemoryUse[] = [];
      for (const [index, line] of lines.entries()) {
        const checked = checkedText(MemoryUse, line);
        if ("reason" in checked)
          return note({
            path,
            kind: "counters",
            outcome: "refused",
            reason: `line ${index + 1}: ${checked.reason}`,
          });
        found.push(checked.value);
      }
      if (found.length === 0) return note({ path, kind: "counters", outcome: "unchanged" });
      const known = new Set<string>();
      for (const use of uses.each()) known.add(keyOf(use));
      const fresh = found.filter((use) => !known.has(keyOf(use)));
      for (let next = 0; apply && next < fresh.length; next += AT_ONCE)
        await uses.restore(fresh.slice(next, next + AT_ONCE));
      note({ path, kind: "counters", outcome: fresh.length > 0 ? "added" : "unchanged" });
    },
    finish: async () => undefined,
  };
}

function keyOf({ memoryId, kind, at }: MemoryUse): string {
  return `${memoryId} ${kind} ${at}`;
}
