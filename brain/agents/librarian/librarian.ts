import type { Retire } from "@metahuman/core/memory/evolution/retention";
import type { IndexControl } from "@metahuman/core/memory/index/index-control";
import type { BackgroundAgent } from "../background/background-agent.ts";

export interface LibrarianPorts {
  index: Pick<IndexControl, "reconcile" | "status">;
  retire: Retire;
  maxMemories: () => number;
}

/** The maximum number of items to report individually. */
const MAX_LOGGED_RECORDS = 50;

/** Keeps files and index in sync, archives the oldest records beyond the limit, and reports unreadable ones. */
export function createLibrarian({ index, retire, maxMemories }: LibrarianPorts): BackgroundAgent {
  return {
    name: "librarian",
    title: "Librarian",
    about:
      "Brings the search index up to date with your files, archives the least used memories when there are too many, and reports files that cannot be read.",
    needsModel: false,
    async work({ signal, log }) {
      const before = await index.status();
      signal.throwIfAborted();
      await index.reconcile();
      signal.throwIfAborted();
      const found = await index.status();
      const added = found.items - before.items;
      if (added !== 0)
        await log(`The index had ${Math.abs(added)} records too ${added > 0 ? "few" : "many"}.`);
      const problems = found.quarantined.map(({ path, reason }) => ({ subject: path, reason }));
      for (const { subject, reason } of problems.slice(0, MAX_LOGGED_RECORDS))
        await log(`${subject} cannot be read: ${reason}.`, "warning");

      const retired = await retire({ maxMemories: maxMemories(), signal });
      for (const { id, title } of retired.slice(0, MAX_LOGGED_RECORDS))
        await log(`Moved to the archive: ${id} (${title}).`);
      if (retired.length > MAX_LOGGED_RECORDS)
        await log(`Moved to the archive: ${retired.length} memories in all.`);

      const { items, pending } = await index.status();
      return {
        summary: [
          `${items} records in the index, ${pending} waiting to be embedded`,
          ...(retired.length > 0 ? [`${retired.length} moved to the archive`] : []),
          ...(problems.length > 0 ? [`${problems.length} files that cannot be read`] : []),
        ]
          .join(", ")
          .concat("."),
        changed: added !== 0 || retired.length > 0,
        problems,
      };
    },
  };
}
