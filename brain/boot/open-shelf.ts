import type { Shelf } from "@metahuman/agents/operator/carrier";
import type { Database } from "@metahuman/core/database/open-database";
import { openRunStore } from "@metahuman/core/runs/open-run-store";
import { createRunFeed } from "@metahuman/core/runs/run-feed";

/** The runs of one database, and those who watch them. */
export function openShelf(database: Database, unknownConversations: "refuse" | "make"): Shelf {
  const store = openRunStore(database, { clock: () => new Date(), unknownConversations });
  return { store, feed: createRunFeed(store) };
}
