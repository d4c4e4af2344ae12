// Migrates a database and kills itself inside a migration, after its work and before its commit: `migrate-and-die.ts
// <file> <database> <migration>`.
import { memoryIndexMigrations } from "../../memory/index/schema.ts";
import { accountSchema } from "../../profiles/account-schema.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import type { Migration } from "../migrate.ts";
import { openDatabase } from "../open-database.ts";

const schemas = new Map<string, readonly Migration[]>([
  ["accounts", accountSchema],
  ["state", stateMigrations],
  ["memory", memoryIndexMigrations],
]);
const [path, which = "", step] = process.argv.slice(2);
const schema = schemas.get(which);
if (!path || !schema) throw new Error("which file, which database?");

function killedIn(migration: Migration): Migration {
  if (String(migration.version) !== step) return migration;
  return {
    ...migration,
    up(connection) {
      if (typeof migration.up === "string") connection.exec(migration.up);
      else migration.up(connection);
      // Kills itself, because a kill from outside would come at an uncertain time.
      process.kill(process.pid, "SIGKILL");
    },
  };
}
openDatabase(path, schema.map(killedIn), { title: "the database" }).close();
