import { openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { openRunStore } from "../runs/open-run-store.ts";
import { openOccurrenceLedger } from "./open-occurrence-ledger.ts";
import { describeWatchedPages } from "./watched-pages.suite.ts";
import { openWatchedPages } from "./watched-pages.ts";

describeWatchedPages("in state.db", async () => {
  const database = openDatabase(":memory:", stateMigrations, { title: "the state" });
  return {
    pages: openWatchedPages(database),
    runs: openRunStore(database),
    ledger: openOccurrenceLedger(database),
    close: async () => database.close(),
  };
});
