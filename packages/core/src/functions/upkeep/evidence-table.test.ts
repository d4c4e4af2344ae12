import { openDatabase } from "../../database/open-database.ts";
import { stateMigrations } from "../../runs/migrations.ts";
import { describeEvidenceTable } from "./evidence-table.suite.ts";
import { openEvidenceTable } from "./evidence-table.ts";

describeEvidenceTable("in state.db", async () => {
  const databases = [1, 2].map(() =>
    openDatabase(":memory:", stateMigrations, { title: "the state database" }),
  );
  const [here, elsewhere] = databases.map(openEvidenceTable);
  if (!here || !elsewhere) throw new Error("unreachable");
  return {
    here,
    elsewhere,
    close: async () => databases.forEach((database) => database.close()),
  };
});
