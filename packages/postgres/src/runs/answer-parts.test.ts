import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { RunEvent } from "@metahuman/core/contract/event";
import { createRunFeed, type RunFeed } from "@metahuman/core/runs/run-feed";
import type { RunStore, StoredEventBody } from "@metahuman/core/runs/run-store";
import { answered, ended, observed, planned, running } from "@metahuman/core/runs/store-fixtures";
import { type DatabaseHarness, pgliteHarness } from "../testing/harness.ts";
import type { Postgres } from "../open-postgres.ts";
import { openPostgresRunStore } from "./open-run-store.ts";

const CountRow = z.object({ count: z.number() });

interface Process {
  store: RunStore;
  feed: RunFeed;
}

describe("an answer that another process is writing", () => {
  let harness: DatabaseHarness;
  let profile: string;
  let here: Process;
  let there: Process;
  beforeEach(async () => {
    harness = await pgliteHarness();
    profile = harness.newProfile();
    const open = (): Process => {
      const store = openPostgresRunStore(harness.database, profile);
      return { store, feed: createRunFeed(store) };
    };
    here = open();
    there = open();
  });
  afterEach(async () => {
    for (const { feed, store } of [here, there]) {
      feed.close();
      await store.close();
    }
  });

  /** Follows a run, and returns its events so far and the text of its answer as a reader sees it. */
  function follow(runId: string) {
    const events: RunEvent[] = [];
    const control = new AbortController();
    const done = (async () => {
      for await (const event of here.feed.events(runId, { from: 1, signal: control.signal }))
        events.push(event);
    })();
    const text = () => {
      let read = "";
      for (const event of events)
        if (event.type === "answer-delta") read = read.slice(0, event.offset) + event.text;
      return read;
    };
    return { events, text, done };
  }

  it("is read as it grows, and again from its start when it is rewritten", async () => {
    const run = await running(there.store);
    const reader = follow(run.id);
    there.feed.publishAnswerPart(run.id, "The roses ", 0);
    await expect.poll(reader.text).toBe("The roses ");
    there.feed.publishAnswerPart(run.id, "need water 🌹", 10);
    await expect.poll(reader.text).toBe("The roses need water 🌹");
    const late = follow(run.id);
    await expect.poll(late.text).toBe("The roses need water 🌹");
    there.feed.publishAnswerPart(run.id, "Water them.", 0);
    await expect.poll(reader.text).toBe("Water them.");
    there.feed.publish((await there.store.append(run.claim, [answered("Water them."), ended])).events);
    await reader.done;
    await late.done;
    expect(reader.events.slice(-2).map(({ type }) => type)).toEqual(["answer-completed", "run-ended"]);
    expect(reader.events.filter(({ type }) => type !== "answer-delta")).toHaveLength(2);
  });

  it("receives a character only when both halves of it are there", async () => {
    const run = await running(there.store);
    const reader = follow(run.id);
    there.feed.publishAnswerPart(run.id, "a rose: \ud83c", 0);
    await expect.poll(reader.text).toBe("a rose: ");
    there.feed.publishAnswerPart(run.id, "\udf39", 9);
    await expect.poll(reader.text).toBe("a rose: 🌹");
  });

  it("is deleted when it is complete, and when its process loses the run", async () => {
    const parts = async () => {
      const row = await harness.database.inProfile(profile, (session) =>
        session.get(CountRow, "SELECT count(*)::integer AS count FROM answer_parts"),
      );
      return row?.count;
    };
    const first = await running(there.store);
    there.feed.publishAnswerPart(first.id, "Done", 0);
    await expect.poll(parts).toBe(1);
    there.feed.publishAnswerPart(first.id, ".", 4);
    await there.store.append(first.claim, [answered("Done."), ended]);
    expect(await parts()).toBe(0);
    const second = await running(there.store);
    there.feed.publishAnswerPart(second.id, "Half", 0);
    await expect.poll(parts).toBe(1);
    harness.passTime(60_000);
    expect(await here.store.interruptLost()).toHaveLength(1);
    there.feed.publishAnswerPart(second.id, " of it", 4);
    await there.store.close();
    expect(await parts()).toBe(0);
  });
});

describe("a run of another process with three watchers", () => {
  it("is read once for each of its commits, with every event once for each watcher", async () => {
    const harness = await pgliteHarness();
    const profile = harness.newProfile();
    let reads = 0;
    const counted: Postgres = {
      ...harness.database,
      readProfile: (name, work) => {
        reads += 1;
        return harness.database.readProfile(name, work);
      },
    };
    const hint = Promise.withResolvers<() => void>();
    const here = openPostgresRunStore(counted, profile, {
      hints: {
        announce: () => undefined,
        isListening: () => true,
        listen(_profile, listener) {
          hint.resolve(listener);
          return () => undefined;
        },
        close: async () => undefined,
      },
      // The shared poll finds no other commit, so only hints make the feed read.
      followed: { found: () => undefined },
    });
    const there = openPostgresRunStore(harness.database, profile);
    const feed = createRunFeed(here);
    const run = await running(there);
    const received: RunEvent[][] = [[], [], []];
    const signal = new AbortController().signal;
    const watching = received.map(async (events) => {
      for await (const event of feed.events(run.id, { from: 0, signal })) events.push(event);
    });
    await expect.poll(() => received.map(({ length }) => length)).toEqual([1, 1, 1]);
    const notify = await hint.promise;
    const append = async (seen: number, ...bodies: StoredEventBody[]) => {
      reads = 0;
      await there.append(run.claim, bodies);
      notify();
      await expect.poll(() => received.map(({ length }) => length)).toEqual([seen, seen, seen]);
      return reads;
    };
    expect(await append(2, planned(1))).toBe(1);
    expect(await append(3, observed(1))).toBe(1);
    expect(await append(5, answered("Done."), ended)).toBe(1);
    await Promise.all(watching);
    for (const events of received) expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    feed.close();
    await here.close();
    await there.close();
  });
});
