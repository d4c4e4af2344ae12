import type { IndexClient } from "../index/index-client.ts";
import type { MemoryStorage } from "./record-storage.ts";
import type { MemoryPort } from "../memory-port.ts";
import { z } from "zod";
import { InvalidArgsError } from "../../errors/request-errors.ts";

/** Lists memories by time, page by page. */
export function createMemoryList({
  client,
  storage,
}: {
  client: IndexClient;
  storage: Pick<MemoryStorage, "read">;
}): MemoryPort["list"] {
  return async ({ limit, cursor, ...narrowed }) => {
    const after = cursor === undefined ? undefined : fromCursor(cursor);
    const { entries, total } = await client.call("page", { ...narrowed, limit, after });
    const found = await Promise.all(entries.map((entry) => storage.read(entry)));
    const last = entries.at(-1);
    return {
      // Omits files that were removed since they were indexed.
      items: found.flatMap((filed) => filed?.record ?? []),
      nextCursor: last && entries.length === limit ? toCursor(last) : null,
      total,
    };
  };
}

const Position = z.strictObject({ timestamp: z.string(), id: z.string() });
type Position = z.infer<typeof Position>;

/** An opaque cursor for a position in a list. */
function toCursor({ timestamp, id }: Position): string {
  return Buffer.from(JSON.stringify({ timestamp, id })).toString("base64url");
}

/** Throws `InvalidArgsError` for an invalid cursor. */
function fromCursor(cursor: string): Position {
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (error) {
    throw new InvalidArgsError("This cursor is invalid.", { cause: error });
  }
}
