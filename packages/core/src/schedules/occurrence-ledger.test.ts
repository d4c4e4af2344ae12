import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { describeOccurrenceLedger } from "./occurrence-ledger.suite.ts";
import { openOccurrenceLedger } from "./open-occurrence-ledger.ts";

describeOccurrenceLedger("on disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ledger-"));
  const databases: Database[] = [];
  let time = Date.parse("2026-11-20T09:00:00.000Z");
  return {
    async open() {
      const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state" });
      databases.push(database);
      return openOccurrenceLedger(database, { clock: () => new Date(time) });
    },
    now: () => new Date(time),
    passTime(ms) {
      time += ms;
    },
    async close() {
      databases.forEach((database) => database.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
