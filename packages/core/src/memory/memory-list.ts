import type { IndexClient } from "./index/index-client.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { MemoryPort } from "./memory-port.ts";
import { fromCursor, toCursor } from "./page-cursor.ts";

/** Lists memories by time, page by page. */
export function createMemoryList({
  client,
  finder,
}: {
  client: IndexClient;
  finder: MemoryFinder;
}): MemoryPort["list"] {
  return async ({ limit, cursor, ...narrowed }) => {
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    const { entries, total } = await client.call("page", { ...narrowed, limit, after });
    const found = await Promise.all(entries.map((entry) => finder.read(entry)));
    const last = entries.at(-1);
    return {
      // What was removed by hand since the index last looked is passed over.
      items: found.flatMap((filed) => filed?.record ?? []),
      nextCursor: last && entries.length === limit ? toCursor(last) : null,
      total,
    };
  };
}
