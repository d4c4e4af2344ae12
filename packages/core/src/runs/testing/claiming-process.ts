/**
 * A process that claims a run: `node claiming-process.ts <state.db>`. Prints the run's id, waits for a line on standard
 * input, then tries to write to the run and prints the name of the error, or "written".
 */
import { once } from "node:events";
import { openDatabase } from "../../database/open-database.ts";
import { stateMigrations } from "../migrations.ts";
import { RunLostError } from "../run-store.ts";
import { openRunStore } from "../open-run-store.ts";
import { planned, running } from "../store-fixtures.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: claiming-process.ts <state.db>");
const database = openDatabase(path, stateMigrations, { title: "the state database" });
const store = openRunStore(database);
const run = await running(store);
process.stdout.write(`${run.id}\n`);
await once(process.stdin, "data");
const outcome = await store.append(run.claim, [planned(1)]).then(
  () => "written",
  (error: unknown) => {
    if (error instanceof RunLostError) return error.name;
    throw error;
  },
);
process.stdout.write(`${outcome}\n`);
database.close();
process.exit();
