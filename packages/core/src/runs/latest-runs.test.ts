import { afterEach, expect, it } from "vitest";
import { openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore } from "./open-run-store.ts";
import { ended, requestFor, running } from "./store-fixtures.ts";

const database = openDatabase(":memory:", stateMigrations, { title: "the state database" });
afterEach(() => database.close());

it("names the runs that have not ended, and those that began last whatever became of them", async () => {
  const store = openRunStore(database);
  const first = await running(store, "list my tasks");
  const over = await running(store, "what's in out?");
  await store.append(over.id, [ended]);
  const queued = await store.create(requestFor("make sandwich file"));

  expect((await store.unended(9)).map(({ id }) => id)).toEqual([queued.id, first.id]);
  expect((await store.unended(1)).map(({ id }) => id)).toEqual([queued.id]);
  expect(await store.latest(2)).toEqual([
    { id: queued.id, conversationId: queued.conversationId, status: "queued", lastSeq: 0 },
    { id: over.id, conversationId: over.conversationId, status: "ended", lastSeq: 2 },
  ]);
});
