import { expect, it } from "vitest";
import { exchangesWithFact } from "./memory-store.ts";

it("looks for the statements of a fact with a long gap", async () => {
  const queries: unknown[] = [];
  const content = `Mara lives in Lisbon${" ".repeat(300_000)}today, and Otto sails boats`;
  await exchangesWithFact({ type: "curated", content }, async ({ query }) => {
    queries.push(query);
    return { items: [], nextCursor: null, total: 0 };
  });
  expect(queries).toContain("otto sails boats ");
});
