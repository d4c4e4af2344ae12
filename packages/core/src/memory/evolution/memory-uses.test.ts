import { openDatabase } from "../../database/open-database.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import { describeMemoryUses } from "./memory-uses.suite.ts";
import { createInMemoryUses } from "./in-memory-uses.ts";
import { openMemoryUseTable } from "./memory-use-table.ts";

describeMemoryUses("in state.db", async () => {
  const database = openDatabase(":memory:", stateMigrations, { title: "a state database" });
  return { uses: openMemoryUseTable(database), close: () => database.close() };
});

describeMemoryUses("in memory", async () => ({ uses: createInMemoryUses(), close: () => undefined }));
