import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { describeAgentStore } from "./agent-store.suite.ts";
import { openAgentStore } from "./open-agent-store.ts";

describeAgentStore("on disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agent-store-"));
  const databases: Database[] = [];
  let time = Date.parse("2026-11-20T09:30:00.000Z");
  return {
    async open() {
      const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state" });
      databases.push(database);
      return openAgentStore(database, { clock: () => new Date(time) });
    },
    passTime(ms) {
      time += ms;
    },
    async close() {
      databases.forEach((database) => database.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
