import {
  allRows,
  type OperationalCopies,
  type OperationalRow,
  type OperationalTable,
  rowSchema,
} from "@metahuman/core/transfer/operational-tables";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type Parameter } from "../session.ts";

/** Uses the tables of a profile in the database. Characters that it cannot store become U+FFFD. */
export function openPostgresOperationalCopies(database: Postgres, profile: string): OperationalCopies {
  return {
    rows(table) {
      const { name, key, columns } = table;
      const schema = rowSchema(table);
      const lastKey = key.map((column) => `:${PARAMETERS[key.indexOf(column)]}`).join(", ");
      return allRows(table, (last, limit) =>
        database.inProfile(profile, (session) =>
          session.all(
            schema,
            `SELECT ${Object.keys(columns).join(", ")} FROM ${name}
             WHERE profile = :profile AND (${key.join(", ")}) > (${lastKey}) ORDER BY ${key.join(", ")} LIMIT :limit`,
            { limit, ...keyParameters(table, last) },
          ),
        ),
      );
    },
    async put({ name, columns }, rows) {
      await database.inProfile(profile, (session) =>
        session.run(
          `INSERT INTO ${name} (profile, ${Object.keys(columns).join(", ")})
           SELECT :profile, row.* FROM jsonb_to_recordset(:rows::jsonb) AS row (${columnList(columns)})`,
          { rows: jsonText(rows) },
        ),
      );
    },
  };
}

/** Parameters for the columns of a key. */
const PARAMETERS = ["first", "second", "third"];

function keyParameters({ key }: OperationalTable, row: OperationalRow): Record<string, Parameter> {
  const parameters: Record<string, Parameter> = {};
  for (const [index, parameter] of PARAMETERS.entries()) {
    const column = key[index];
    if (column !== undefined) parameters[parameter] = row[column] ?? null;
  }
  return parameters;
}

function columnList(columns: OperationalTable["columns"]): string {
  return Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(", ");
}
