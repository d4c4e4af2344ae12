import { z } from "zod";
import type { Database } from "../../database/open-database.ts";

/** Files that cannot be used, with the reason; and files that were looked at and are fine but have no entry. */
export interface QuarantineTable {
  put(path: string, stamp: string, reason: string): void;
  release(path: string): void;
  stampOf(path: string): string | undefined;
  list(): { path: string; reason: string }[];
  setChecked(path: string, stamp: string): void;
  checkedStamp(path: string): string | undefined;
}

export function openQuarantineTable(database: Database): QuarantineTable {
  const Stamp = z.object({ stamp: z.string() });
  const put = database.command("INSERT OR REPLACE INTO quarantine (path, stamp, reason) VALUES (?, ?, ?)");
  const release = database.command("DELETE FROM quarantine WHERE path = ?");
  const stampOf = database.query("SELECT stamp FROM quarantine WHERE path = ?", Stamp);
  const list = database.query(
    "SELECT path, reason FROM quarantine ORDER BY path",
    z.object({ path: z.string(), reason: z.string() }),
  );
  const setChecked = database.command("INSERT OR REPLACE INTO checked_files (path, stamp) VALUES (?, ?)");
  const checkedStamp = database.query("SELECT stamp FROM checked_files WHERE path = ?", Stamp);
  return {
    put: (path, stamp, reason) => void put.run(path, stamp, reason),
    release: (path) => void release.run(path),
    stampOf: (path) => stampOf.get(path)?.stamp,
    list: () => list.all(),
    setChecked: (path, stamp) => void setChecked.run(path, stamp),
    checkedStamp: (path) => checkedStamp.get(path)?.stamp,
  };
}
