/** One numbered step of a schema. Numbers start at 1 and have no gaps; a published step never changes. */
export interface Migration {
  version: number;
  /** What it brings, for messages: "runs and their events". */
  name: string;
  /** SQL, or work that needs more than SQL. Runs inside one transaction, with foreign keys checked at its end. */
  up: string | ((connection: { exec(sql: string): unknown }) => void);
}
