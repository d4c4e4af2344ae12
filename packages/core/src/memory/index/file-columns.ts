import { z } from "zod";
import type { Database } from "../../database/open-database.ts";
import type { FileCatalog } from "./file-records.ts";

/** What every index knows of its entries' files: the columns of `records` that all of them have. */
export function openFileColumns(database: Database): FileCatalog {
  const at = database.query(
    "SELECT item, stamp, hash FROM records WHERE path = ?",
    z.object({ item: z.int(), stamp: z.string(), hash: z.string() }),
  );
  const pathOf = database.query(
    "SELECT path, hash FROM records WHERE item = ?",
    z.object({ path: z.string(), hash: z.string() }),
  );
  const textOf = database.query(
    "SELECT preview AS text FROM records WHERE item = ?",
    z.object({ text: z.string() }),
  );
  const setStamp = database.command("UPDATE records SET stamp = ? WHERE path = ?");
  return {
    at: (path) => at.get(path),
    pathOf: (item) => pathOf.get(item),
    textOf: (item) => textOf.get(item)?.text,
    setStamp: (path, stamp) => void setStamp.run(stamp, path),
  };
}
