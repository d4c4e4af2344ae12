import { openDatabase } from "../../database/open-database.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import { describeMemoryUses } from "./memory-uses.suite.ts";
import { createPassingUses } from "./passing-uses.ts";
import { openUseTable } from "./use-count-table.ts";

describeMemoryUses("in state.db", () => {
  const database = openDatabase(":memory:", stateMigrations, { title: "a state database" });
  return { uses: openUseTable(database), close: () => database.close() };
});

describeMemoryUses("in memory", () => ({ uses: createPassingUses(), close: () => undefined }));
