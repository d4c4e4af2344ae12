import { expect, it } from "vitest";
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

it("counts every run of a function that is used every minute", async () => {
  const database = openDatabase(":memory:", stateMigrations, { title: "the state database" });
  const table = openEvidenceTable(database);
  const minutes = 60_000;
  const uses = Array.from({ length: minutes }, (_, minute) => ({
    run_id: `run-${minute}`,
    offered: 0,
    outcome: "succeeded" as const,
    weight: 1,
    at: new Date(Date.UTC(2026, 9, 1) + minute * 60_000).toISOString(),
    error: null,
    execution_ms: 20,
    planning_calls: 0,
    tokens: 0,
  }));
  const sums = { usage_count: minutes, offered_count: 0, successes: minutes, failures: 0 };
  const last = { last_failure: null, last_used_at: null, useful_at: null };
  await table.restore({ id: "func-20260101-abc123", ...sums, ...last, uses });
  const days = await table.dailyUses({ since: "" });
  expect(days).toHaveLength(42);
  expect(days.reduce((total, { used }) => total + used, 0)).toBe(minutes);
  database.close();
});
