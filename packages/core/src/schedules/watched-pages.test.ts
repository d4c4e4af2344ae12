import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { openRunStore } from "../runs/open-run-store.ts";
import type { RunStore } from "../runs/run-store.ts";
import { openOccurrenceLedger } from "./open-occurrence-ledger.ts";
import { openWatchedPages, type WatchedPages } from "./watched-pages.ts";

const URL_OF_PAGE = "https://example.org/prices";
const scheduleId = "sched-01kaswk2p0000000000000000a";
let database: Database;
let pages: WatchedPages;
let runs: RunStore;
let minute = 0;

beforeEach(() => {
  database = openDatabase(":memory:", stateMigrations, { title: "the state" });
  runs = openRunStore(database);
  pages = openWatchedPages(database);
  minute = 0;
});
afterEach(() => database.close());

async function startedRun(): Promise<string> {
  const { id } = await runs.create({
    request: { goal: "check the page" },
    identity: { role: "member", username: "ada", mode: "dual", trustLevel: "supervised_auto" },
    surface: "schedule",
  });
  return id;
}
/** Ends a run the way its loop does; how, is all that the pages ask for. */
const end = (runId: string, outcome: "answered" | "failed") =>
  database
    .command("UPDATE runs SET status = 'ended', summary = json_set(summary, '$.outcome', ?) WHERE id = ?")
    .run(outcome, runId);
async function look(runId: string, text: string, watcher: string | undefined = scheduleId) {
  const at = new Date(Date.UTC(2026, 10, 23, 12, (minute += 1))).toISOString();
  return (await pages.replace({ scheduleId: watcher, url: URL_OF_PAGE, runId }, { text, at }))?.text;
}
async function answered(text: string, watcher: string | undefined = scheduleId) {
  const runId = await startedRun();
  const before = await look(runId, text, watcher);
  end(runId, "answered");
  return before;
}

describe("watched pages", () => {
  it("are compared with what was found before", async () => {
    expect([await answered("a"), await answered("a"), await answered("b"), await answered("c")]).toEqual([
      undefined,
      "a",
      "a",
      "b",
    ]);
  });

  it("keep the time at which they were first found as they are", async () => {
    await answered("a");
    await answered("a");
    const runId = await startedRun();
    const at = "2026-11-24T00:00:00.000Z";
    expect(await pages.replace({ scheduleId, url: URL_OF_PAGE, runId }, { text: "b", at })).toEqual({
      text: "a",
      at: "2026-11-23T12:01:00.000Z",
    });
  });

  it("give the same answer to a run that is repeated after it was killed", async () => {
    await answered("a");
    const runId = await startedRun();
    expect([await look(runId, "b"), await look(runId, "b"), await look(runId, "c")]).toEqual(["a", "a", "a"]);
    end(runId, "answered");
    expect(await answered("c")).toBe("c");
  });

  it("keep a change that nobody was told of, for a run that failed after it had stored it", async () => {
    await answered("a");
    const failed = await startedRun();
    await look(failed, "b");
    end(failed, "failed");
    expect([await answered("b"), await answered("b")]).toEqual(["a", "b"]);
  });

  it("are remembered although the conversations of their runs are deleted", async () => {
    const remove = (runId: string) => database.command("DELETE FROM runs WHERE id = ?").run(runId);
    await answered("a");
    const failed = await startedRun();
    await look(failed, "b");
    end(failed, "failed");
    remove(failed);
    const told = await startedRun();
    expect(await look(told, "b")).toBe("a");
    end(told, "answered");
    remove(told);
    expect(await answered("b")).toBe("b");
  });

  it("are kept for each schedule, and for the person", async () => {
    await answered("a");
    expect([await answered("b", "sched-01kaswk2p0000000000000000b"), await answered("b", "")]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await answered("b")).toBe("a");
  });

  it("are deleted with the schedule, and after a long time without a look", async () => {
    const ledger = openOccurrenceLedger(database);
    await ledger.setMoment({ scheduleId, timing: "t", next: null, note: null });
    await answered("a");
    await ledger.forget(scheduleId, "It was deleted.");
    expect(await answered("b")).toBeUndefined();
    await pages.prune("2000-01-01T00:00:00.000Z");
    expect(await answered("c")).toBe("b");
    await pages.prune("2100-01-01T00:00:00.000Z");
    expect(await answered("c")).toBeUndefined();
  });
});
