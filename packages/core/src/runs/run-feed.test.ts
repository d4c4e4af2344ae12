import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../contract/event.ts";
import { type Database, openDatabase } from "../database/open-database.ts";
import { CancelledError } from "../errors/run-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore } from "./open-run-store.ts";
import { changeIdleRun } from "./change-idle-run.ts";
import { createRunFeed, type RunFeed } from "./run-feed.ts";
import type { RunClaim, RunStore, StoredEventBody } from "./run-store.ts";
import {
  answered,
  changeIdle,
  claimNext,
  ended,
  firstOf,
  observed,
  planned,
  running,
} from "./store-fixtures.ts";

let folder: string;
const databases: Database[] = [];
const feeds: RunFeed[] = [];

interface Process {
  store: RunStore;
  feed: RunFeed;
  append(claim: RunClaim, ...bodies: StoredEventBody[]): Promise<void>;
}

function openProcess(): Process {
  const database = openDatabase(join(folder, "state.db"), stateMigrations, { title: "the state database" });
  const store = openRunStore(database);
  const feed = createRunFeed(store);
  databases.push(database);
  feeds.push(feed);
  return {
    store,
    feed,
    async append(claim, ...bodies) {
      feed.publish((await store.append(claim, bodies)).events);
    },
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "feed-"));
});
afterEach(() => {
  feeds.splice(0).forEach((feed) => feed.close());
  databases.splice(0).forEach((database) => database.close());
  rmSync(folder, { recursive: true, force: true });
});

const typesOf = (events: readonly RunEvent[]) => events.map((event) => event.type);
const forever = new AbortController().signal;

describe("watching a run", () => {
  it("starts after the last seen event, continues live, and ends with the run", async () => {
    const { store, feed, append } = openProcess();
    const run = await running(store);
    await append(run.claim, planned(1));
    const watching = Array.fromAsync(feed.events(run.id, { from: 1, signal: forever }));
    await append(run.claim, observed(1));
    await append(run.claim, answered("Nothing."), ended);
    const events = await watching;
    expect(events.map((event) => event.seq)).toEqual([2, 3, 4, 5]);
    expect(typesOf(events)).toEqual(["step-planned", "observation-made", "answer-completed", "run-ended"]);
  });

  it("ends at once if all events were seen, and replays all from 0", async () => {
    const { store, feed, append } = openProcess();
    const run = await running(store);
    await append(run.claim, ended);
    expect(await Array.fromAsync(feed.events(run.id, { from: 2, signal: forever }))).toEqual([]);
    expect(typesOf(await Array.fromAsync(feed.events(run.id, { from: 0, signal: forever })))).toEqual([
      "run-started",
      "run-ended",
    ]);
  });

  it("delivers every stored event to a slow watcher without delaying others", async () => {
    const { store, feed, append } = openProcess();
    const run = await running(store);
    const slow = feed.events(run.id, { from: 0, signal: forever })[Symbol.asyncIterator]();
    const first: unknown = (await slow.next()).value;
    expect(first).toMatchObject({ seq: 1 });
    for (let step = 1; step <= 400; step += 1) await append(run.claim, planned(step));
    const rest: number[] = [];
    const read = async (until: number) => {
      while (rest.length < until) {
        const next = await slow.next();
        if (next.done) break;
        rest.push(next.value.seq);
      }
    };
    // More events than are kept in memory, while the run continues.
    await read(300);
    await append(run.claim, ended);
    await read(Infinity);
    expect(rest).toEqual(Array.from({ length: 401 }, (_, index) => index + 2));
  });

  it("streams the growing answer once to each watcher, including late ones", async () => {
    const { store, feed, append } = openProcess();
    const run = await running(store);
    const early = Array.fromAsync(feed.events(run.id, { from: 1, signal: forever }));
    await Promise.resolve();
    feed.publishAnswerPart(run.id, "Made ", 0);
    feed.publishAnswerPart(run.id, "it.", 5);
    const late = await firstOf(feed.events(run.id, { from: 1, signal: forever }), 1);
    expect(late).toMatchObject([{ type: "answer-delta", text: "Made it.", offset: 0, seq: 1 }]);
    await append(run.claim, answered("Made it."), ended);
    const deltas = (await early).filter((event) => event.type === "answer-delta");
    expect(deltas.map((event) => event.text).join("")).toBe("Made it.");
    expect(deltas.map((event) => event.seq)).toEqual(deltas.map(() => 1));
    expect(typesOf(await Array.fromAsync(feed.events(run.id, { from: 1, signal: forever })))).toEqual([
      "answer-completed",
      "run-ended",
    ]);
  });

  it("delivers text that arrives while a watcher handles the text before it", async () => {
    const { store, feed } = openProcess();
    const run = await running(store);
    feed.publishAnswerPart(run.id, "Made ", 0);
    const texts: string[] = [];
    for await (const event of feed.events(run.id, { from: 1, signal: forever })) {
      if (event.type !== "answer-delta") continue;
      texts.push(event.text);
      if (texts.length === 2) break;
      feed.publishAnswerPart(run.id, "it.", 5);
    }
    expect(texts).toEqual(["Made ", "it."]);
  });

  it("stops with the watcher's abort reason", async () => {
    const { store, feed } = openProcess();
    const run = await running(store);
    const control = new AbortController();
    const watching = Array.fromAsync(feed.events(run.id, { from: 1, signal: control.signal }));
    const reason = new Error("gone");
    control.abort(reason);
    await expect(watching).rejects.toBe(reason);
  });

  it("rejects unknown runs", async () => {
    const { feed } = openProcess();
    const stranger = `run-${"0".repeat(26)}`;
    await expect(Array.fromAsync(feed.events(stranger, { from: 0, signal: forever }))).rejects.toThrow(
      NotFoundError,
    );
    await expect(feed.until(stranger, () => true)).rejects.toThrow(NotFoundError);
  });

  it("fails watchers after a store error", async () => {
    const { store, feed } = openProcess();
    const run = await running(store);
    const waiting = feed.until(run.id, ({ status }) => status === "ended");
    const failure = new Error("disk full");
    feed.fail(run.id, failure);
    await expect(waiting).rejects.toBe(failure);
  });

  it("does not fail later watchers with a store error that is over", async () => {
    const { store } = openProcess();
    let isBusy = false;
    let polls = 0;
    const feed = createRunFeed({
      ...store,
      async externalVersion() {
        polls += 1;
        if (isBusy) throw new Error("busy");
        return store.externalVersion();
      },
    });
    feeds.push(feed);
    const run = await running(store);
    const waiting = feed.until(run.id, ({ status }) => status === "ended");
    await expect.poll(() => polls, { interval: 10 }).toBeGreaterThan(1);
    feed.publish((await store.append(run.claim, [planned(1)])).events);
    isBusy = true;
    await expect(waiting).rejects.toThrow("busy");
    isBusy = false;
    const stop = new AbortController();
    const later = feed.until(run.id, ({ status }) => status === "ended", stop.signal);
    setTimeout(() => stop.abort(new Error("still waiting")), 50);
    await expect(later).rejects.toThrow("still waiting");
  });

  it("ends when the feed is closed; waiting for a state rejects", async () => {
    const { store, feed } = openProcess();
    const run = await running(store);
    const watching = Array.fromAsync(feed.events(run.id, { from: 1, signal: forever }));
    const waiting = feed.until(run.id, ({ status }) => status === "ended");
    await store.run(run.id);
    feed.close();
    expect(await watching).toEqual([]);
    await expect(waiting).rejects.toThrow(CancelledError);
  });
});

describe("watching a run of another process", () => {
  it("delivers events of that process, also between own events", async () => {
    const [mine, theirs] = [openProcess(), openProcess()];
    const run = await running(theirs.store);
    const watching = Array.fromAsync(mine.feed.events(run.id, { from: 0, signal: forever }));
    await theirs.append(run.claim, planned(1), {
      type: "question-asked",
      step: 1,
      question: "Where?",
      options: [],
    });
    await mine.feed.until(run.id, ({ status }) => status === "waiting");
    const steered = await changeIdle(mine.store, run.id, [observed(1)]);
    mine.feed.publish(steered?.events ?? []);
    await theirs.feed.until(run.id, ({ status }) => status === "queued");
    await mine.append(
      await claimNext(mine.store),
      { type: "run-resumed", reason: "room", status: "running" },
      ended,
    );
    expect((await watching).map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("is not affected by earlier own events", async () => {
    const [mine, theirs] = [openProcess(), openProcess()];
    const run = await running(mine.store);
    await mine.append(run.claim, planned(1), {
      type: "question-asked",
      step: 1,
      question: "Where?",
      options: [],
    });
    const watching = Array.fromAsync(mine.feed.events(run.id, { from: 3, signal: forever }));
    const steered = await changeIdle(mine.store, run.id, [observed(1)]);
    mine.feed.publish(steered?.events ?? []);
    await mine.store.releaseQueued();
    await theirs.append(
      await claimNext(theirs.store, { adopt: true }),
      { type: "run-resumed", reason: "room", status: "running" },
      ended,
    );
    expect((await watching).map((event) => event.seq)).toEqual([4, 5, 6]);
  });

  it("notifies a listener of a change", async () => {
    const [mine, theirs] = [openProcess(), openProcess()];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = mine.feed.onExternalChange(resolve);
    await running(theirs.store);
    await promise;
    stop();
  });
});

describe("changing an idle run", () => {
  it("decides again if another process changed the run meanwhile", async () => {
    const [mine, theirs] = [openProcess(), openProcess()];
    const run = await running(mine.store);
    await mine.append(run.claim, planned(1), {
      type: "question-asked",
      step: 1,
      question: "Where?",
      options: [],
    });
    const seen: string[] = [];
    const changed = await changeIdleRun(mine, run.id, async ({ status }) => {
      if (seen.push(status) === 1) await changeIdle(theirs.store, run.id, [observed(1)]);
      return [ended];
    });
    expect(seen).toEqual(["waiting", "queued"]);
    expect(typesOf(changed?.events ?? [])).toEqual(["run-ended"]);
    expect(typesOf(await mine.store.events(run.id, 3, 9))).toEqual(["observation-made", "run-ended"]);
  });

  it("commits nothing if the decision throws or a process executes the run", async () => {
    const { store, feed } = openProcess();
    const run = await running(store);
    expect(await changeIdleRun({ store, feed }, run.id, () => [ended])).toBeUndefined();
    await store.append(run.claim, [{ type: "run-interrupted", reason: "stopped" }]);
    const refused = new Error("cannot be resumed");
    const deciding = changeIdleRun({ store, feed }, run.id, () => {
      throw refused;
    });
    await expect(deciding).rejects.toBe(refused);
    expect((await store.run(run.id)).status).toBe("interrupted");
  });
});
