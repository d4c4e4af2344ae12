import type { IndexClient } from "../index/index-client.ts";
import type { MemoryFinder } from "./memory-finder.ts";
import type { MemoryPort } from "../memory-port.ts";
import { z } from "zod";
import { InvalidArgsError } from "../../errors/request-errors.ts";

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

const Place = z.strictObject({ timestamp: z.string(), id: z.string() });
type Place = z.infer<typeof Place>;

/** A place in a list, in a form that says nothing to its reader. */
function toCursor({ timestamp, id }: Place): string {
  return Buffer.from(JSON.stringify({ timestamp, id })).toString("base64url");
}

/** Throws `InvalidArgsError` for what `toCursor` did not make. */
function fromCursor(cursor: string): Place {
  try {
    return Place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (error) {
    throw new InvalidArgsError("This is no cursor of this list.", { cause: error });
  }
}
