import type { Migration } from "../migrate.ts";

export const ROWS = 1_000;

/** Two steps; the second reports how far it is, so that a test can kill it at a known point. */
export function schema(report: (progress: string) => void): readonly Migration[] {
  return [
    {
      version: 1,
      name: "notes",
      up: "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
    },
    {
      version: 2,
      name: "words",
      up(connection) {
        connection.exec("ALTER TABLE note ADD COLUMN words INTEGER NOT NULL DEFAULT 0");
        for (let row = 1; row <= ROWS; row += 1) {
          connection.exec(`UPDATE note SET words = 3 WHERE id = ${row}`);
          if (row % 100 === 0) report(`updated ${row}`);
        }
      },
    },
  ];
}
