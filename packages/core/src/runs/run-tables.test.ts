import { afterEach, beforeEach, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore } from "./open-run-store.ts";
import type { RunStore } from "./run-store.ts";
import { ended, requestFor, running } from "./store-fixtures.ts";

let database: Database;
let store: RunStore;
beforeEach(() => {
  database = openDatabase(":memory:", stateMigrations, { title: "the state database" });
  store = openRunStore(database);
});
afterEach(() => database.close());

it("lists runs that have not ended, and the latest runs in any status", async () => {
  const first = await running(store, "list my tasks");
  const over = await running(store, "what's in out?");
  await store.append(over.claim, [ended]);
  const queued = await store.create(requestFor("make sandwich file"));

  expect((await store.unfinishedRuns(9)).map(({ id }) => id)).toEqual([queued.id, first.id]);
  expect((await store.unfinishedRuns(1)).map(({ id }) => id)).toEqual([queued.id]);
  expect(await store.latest(2)).toEqual([
    { id: queued.id, conversationId: queued.conversationId, status: "queued", lastSeq: 0 },
    { id: over.id, conversationId: over.conversationId, status: "ended", lastSeq: 2 },
  ]);
});

it("filters by status, conversation and words, page by page in both orders", async () => {
  const first = await running(store, "list my tasks");
  const { id, conversationId, claim } = first;
  await store.append(claim, [ended]);
  const asked = ["List my tasks again", "list 100% of them", "something else", "list my tasks"];
  const runs = [];
  for (const goal of asked) runs.push(await store.create(requestFor(goal, conversationId)));
  await store.create(requestFor("list my tasks"));

  const query = { status: "queued", conversationId, query: "LIST", limit: 2 } as const;
  const page = await store.runs(query);
  expect(page.items.map(({ goal }) => goal)).toEqual(["list my tasks", "list 100% of them"]);
  expect(page.total).toBe(3);
  const rest = await store.runs({ ...query, cursor: page.nextCursor ?? "" });
  expect(rest).toMatchObject({ items: [{ goal: "List my tasks again" }], nextCursor: null, total: 3 });
  const oldest = await store.runs({ ...query, sort: "oldest" });
  const next = await store.runs({ ...query, sort: "oldest", cursor: oldest.nextCursor ?? "" });
  expect([...oldest.items, ...next.items].map(({ id }) => id)).toEqual(
    [runs[0], runs[1], runs[3]].map((run) => run?.id),
  );
  expect((await store.runs({ conversationId, limit: 9 })).total).toBe(5);
  expect((await store.runs({ status: "ended", limit: 9 })).items.map((run) => run.id)).toEqual([id]);
  expect((await store.runs({ query: "100%", limit: 9 })).total).toBe(1);
});
