import type { MemoryUse } from "../memory/evolution/memory-uses.ts";
import type { ImportCourse, ImportTarget } from "./import-profile.ts";
import type { Importer } from "./parts.ts";

const AT_ONCE = 1_000;

/** The uses of memories. They count once, however often they are imported. */
export function countersImporter(
  { uses }: ImportTarget,
  { apply, note }: ImportCourse,
): Importer<"counters"> {
  return {
    async take({ path, value }) {
      const known = new Set<string>();
      if (value.length > 0) for (const use of uses.each()) known.add(keyOf(use));
      const fresh = value.filter((use) => !known.has(keyOf(use)));
      for (let next = 0; apply && next < fresh.length; next += AT_ONCE)
        await uses.restore(fresh.slice(next, next + AT_ONCE));
      note({ path, kind: "counters", outcome: fresh.length > 0 ? "added" : "unchanged" });
    },
  };
}

/** How functions did. Where something is known of a function, that stays as it is: sums cannot be told apart again. */
export function evidenceImporter(
  { evidence }: ImportTarget,
  { apply, note }: ImportCourse,
): Importer<"evidence"> {
  return {
    async take({ path, value }) {
      const isNew = evidence.row(value.id) === undefined;
      if (isNew && apply) evidence.restore(value);
      note({ path, kind: "counters", outcome: isNew ? "added" : "unchanged" });
    },
  };
}

function keyOf({ memoryId, kind, at }: MemoryUse): string {
  return `${memoryId} ${kind} ${at}`;
}
