import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { describeNotices } from "./notice-port.suite.ts";
import { openNotices } from "./open-notices.ts";

describeNotices("on disk", async () => {
  const folder = mkdtempSync(join(tmpdir(), "notices-"));
  const databases: Database[] = [];
  let time = Date.parse("2026-11-20T09:00:00.000Z");
  return {
    async open() {
      const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state" });
      databases.push(database);
      return openNotices(database, {
        clock: () => new Date(time),
        channels: (urgency) => (urgency === "low" ? [] : ["webhook"]),
      });
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
