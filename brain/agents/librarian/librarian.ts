import type { IndexControl } from "@metahuman/core/memory/index-control";
import type { BackgroundAgent } from "../background/background-agent.ts";

export interface LibrarianPorts {
  index: Pick<IndexControl, "reconcile" | "status">;
}

/** Keeps files and index in agreement, and reports what cannot be read. */
export function createLibrarian({ index }: LibrarianPorts): BackgroundAgent {
  return {
    name: "librarian",
    title: "Librarian",
    about: "Brings the search index up to date with your files and reports files that cannot be read.",
    needsModel: false,
    async work({ signal, tell }) {
      const before = await index.status();
      signal.throwIfAborted();
      await index.reconcile();
      signal.throwIfAborted();
      const after = await index.status();
      const added = after.items - before.items;
      const problems = after.quarantined.map(({ path, reason }) => ({ subject: path, reason }));
      if (added !== 0)
        await tell(`The index had ${Math.abs(added)} records too ${added > 0 ? "few" : "many"}.`);
      for (const { subject, reason } of problems)
        await tell(`${subject} cannot be read: ${reason}.`, "warning");
      return {
        summary: `${after.items} records in the index, ${after.pending} waiting to be embedded${problems.length > 0 ? `, ${problems.length} files that cannot be read` : ""}.`,
        changed: added !== 0,
        problems,
      };
    },
  };
}
