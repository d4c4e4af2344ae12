import { flushSync } from "svelte";
import type { RunEvent } from "@metahuman/core/contract/event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Api } from "../shell/api.ts";
import { ChatState } from "./chat-state.svelte.ts";
import type { RunWatcher } from "../../lib/live/feed.svelte.ts";
import { ServerUnreachable } from "../../lib/api/api-problem.ts";
import { HttpClient } from "../../lib/api/http-client.ts";
import {
  ANSWERED,
  AT,
  CONVERSATION,
  conversationWith,
  eventsOf,
  OTHER_RUN,
  RUN,
  runOf,
  STARTED,
  summaryOf,
} from "../../lib/testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../../lib/testing/scripted-server.ts";

let server: ScriptedServer;
let chat: ChatState;
let settled: string[];
let begun: string[];
/** Replaces the event feed: passes events to its subscribers. */
let watchers: Map<string, RunWatcher>;

function deliver(events: readonly RunEvent[]): void {
  for (const event of events) watchers.get(event.runId)?.onEvent(event);
}

/** A run of the conversation that has ended, as an event names it. */
const statusOf = (id: string) => ({ id, conversationId: CONVERSATION, status: "ended", lastSeq: 3 }) as const;

const endedRun = (id: string) => summaryOf(id, { status: "ended", outcome: "answered" });

/** A promise that the test resolves. */
function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}

/** The number of reads of the conversation. */
const asks = () => server.asked.filter(({ path }) => path === `/api/conversations/${CONVERSATION}`).length;

beforeEach(async () => {
  server = await startScriptedServer();
  settled = [];
  begun = [];
  watchers = new Map();
  chat = new ChatState({
    api: new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
    feed: {
      watch: (runId, watcher) => {
        watchers.set(runId, watcher);
        return () => watchers.delete(runId);
      },
    },
    loadRenderer: async () => undefined,
    onCreated: (id) => begun.push(id),
    onAccepted: () => undefined,
    onSettled: ({ run }) => settled.push(run.status),
    onProblemElsewhere: () => undefined,
  });
  server.on("POST /api/operator", () => ({ runId: RUN, conversationId: CONVERSATION, status: "queued" }));
});

afterEach(() => server.close());

describe("a request that the server does not answer", () => {
  it("is called slow after a while, and can be taken back", async () => {
    let doubts = 0;
    const slow = new ChatState({
      api: new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
      feed: { watch: () => () => undefined },
      loadRenderer: async () => undefined,
      onCreated: () => undefined,
      onAccepted: () => undefined,
      onSettled: () => undefined,
      onProblemElsewhere: () => undefined,
      onSlow: () => void (doubts += 1),
      slowAfterMs: 10,
    });
    server.on("POST /api/operator", () => undefined);
    const sent = slow.send("make sandwich file");
    const refused = expect(sent).rejects.toThrow(ServerUnreachable);
    await expect.poll(() => slow.turns[0]?.isSlow).toBe(true);
    expect(doubts).toBe(1);
    slow.turns[0]?.giveUp?.();
    await refused;
    expect(slow.turns).toEqual([]);
  });
});

describe("ChatState", () => {
  it("shows a request at once, follows its run, and reports when it ends", async () => {
    const sent = chat.send("make sandwich file");
    expect(chat.turns.map(({ request }) => request)).toEqual(["make sandwich file"]);
    await sent;
    expect(chat.conversationId).toBe(CONVERSATION);
    expect(begun).toEqual([CONVERSATION]);
    expect(chat.liveTurn).toBe(chat.turns[0]);
    deliver(eventsOf([STARTED, ...ANSWERED]));
    expect(chat.turns[0]?.run?.run.result).toBe("Created out/sandwich.txt.");
    expect(settled).toEqual(["ended"]);
    expect(chat.liveTurn).toBeUndefined();
    expect(watchers.size).toBe(0);
  });

  it("continues the same conversation", async () => {
    await chat.send("one");
    await chat.send("two");
    const region = { timeZone: expect.any(String) as unknown, locale: expect.any(String) as unknown };
    expect(server.asked.map(({ body }) => body)).toEqual([
      { goal: "one", background: true, ...region },
      { goal: "two", background: true, ...region, conversationId: CONVERSATION },
    ]);
  });

  it("removes a request that the server refused", async () => {
    server.on("POST /api/operator", (_, response) =>
      problem(response, 403, "FORBIDDEN", "Not in this mode."),
    );
    await expect(chat.send("make sandwich file")).rejects.toThrow("Not in this mode.");
    expect(chat.turns).toEqual([]);
  });

  it("re-attaches to a run in progress at the server's position", async () => {
    const running = summaryOf(RUN, { lastSeq: 1 });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(running));
    server.on(`GET /api/runs/${RUN}`, () => runOf(running));
    await chat.open(CONVERSATION);
    await expect.poll(() => watchers.get(RUN)?.lastSeq()).toBe(1);
    deliver(eventsOf(ANSWERED, RUN, 1));
    expect(chat.turns[0]?.run?.run.outcome).toBe("answered");
  });

  it("loads the steps of an ended run only when they become visible", async () => {
    const ended = summaryOf(RUN, { status: "ended", outcome: "answered", steps: 1, lastSeq: 9 });
    const entry = { step: 1, thought: "because", timestamp: AT };
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(ended));
    server.on(`GET /api/runs/${RUN}`, () => ({ ...runOf(ended), scratchpad: [entry] }));
    await chat.open(CONVERSATION);
    const [turn] = chat.turns;
    expect(turn?.steps).toBe(1);
    expect(server.asked.some(({ path }) => path.startsWith("/api/runs"))).toBe(false);
    if (turn) await chat.loadSteps(turn);
    expect(turn?.run?.run.scratchpad).toEqual([entry]);
  });

  it("draws the turns of a conversation in several tasks, and shows them once all are drawn", async () => {
    const runs = ["1", "2", "3", "4", "5"].map((end) =>
      summaryOf(`${RUN.slice(0, -1)}${end}`, {
        goal: `request ${end}`,
        status: "ended",
        outcome: "answered",
      }),
    );
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(...runs));
    const drawn: [loading: boolean, requests: string[]][] = [];
    const stop = $effect.root(() => {
      $effect(() => void drawn.push([chat.loading, chat.drawnTurns.map(({ request }) => request)]));
    });
    await chat.open(CONVERSATION);
    flushSync();
    stop();
    expect(drawn).toContainEqual([true, ["request 1"]]);
    expect(drawn.at(-1)).toEqual([false, ["request 1", "request 2", "request 3", "request 4", "request 5"]]);
  });

  it("is open once it shows its turns, also when it is read again meanwhile", async () => {
    const first = gate();
    const second = gate();
    const gates = [first, second];
    server.on(`GET /api/conversations/${CONVERSATION}`, async () => {
      await gates.shift()?.opened;
      return conversationWith(endedRun(RUN));
    });
    const opened = chat.open(CONVERSATION);
    const shown = opened.then(() => chat.turns.length);
    const read = chat.refresh();
    await expect.poll(asks).toBe(2);
    first.open();
    // The answer to the first read arrives.
    for (let task = 0; task < 50; task += 1) await new Promise((resolve) => setImmediate(resolve));
    second.open();
    expect(await shown).toBe(1);
    await read;
  });

  it("keeps its runs when the conversation is loaded again, and adds runs of other tabs", async () => {
    await chat.send("make sandwich file");
    const first = chat.turns[0];
    const other = summaryOf(OTHER_RUN, { goal: "list my tasks", createdAt: "2126-11-20T09:30:12.123Z" });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN), other));
    server.on(`GET /api/runs/${OTHER_RUN}`, () => runOf(other));
    chat.followRuns([summaryOf(RUN), other], []);
    await expect
      .poll(() => chat.turns.map(({ request }) => request))
      .toEqual(["make sandwich file", "list my tasks"]);
    expect(chat.turns[0]).toBe(first);
    await expect.poll(() => watchers.has(OTHER_RUN)).toBe(true);
  });

  it("continues an interrupted run from the stored steps", async () => {
    const entry = { step: 1, thought: "because", timestamp: AT };
    const interrupted = summaryOf(RUN, { status: "interrupted", steps: 1, lastSeq: 4 });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(interrupted));
    server.on(`GET /api/runs/${RUN}`, () => ({ ...runOf(interrupted), scratchpad: [entry] }));
    server.on(`POST /api/runs/${RUN}/resume`, () => ({ ...runOf(interrupted), scratchpad: [entry] }));
    await chat.open(CONVERSATION);
    const [turn] = chat.turns;
    expect(watchers.size).toBe(0);
    if (turn) await chat.resume(turn);
    deliver(eventsOf([{ type: "run-resumed", reason: "a person", status: "running" }, ...ANSWERED], RUN, 4));
    expect(turn?.run?.run.scratchpad).toEqual([entry]);
    expect(turn?.run?.run.outcome).toBe("answered");
  });

  it("adds a run that another tab started and that ended before the update", async () => {
    await chat.send("make sandwich file");
    deliver(eventsOf([STARTED, ...ANSWERED]));
    const over = { status: "ended", outcome: "answered" } as const;
    const other = summaryOf(OTHER_RUN, {
      ...over,
      goal: "list my tasks",
      createdAt: "2126-11-20T09:30:12.123Z",
    });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN, over), other));
    chat.followRuns([], [statusOf(RUN)]);
    expect(asks()).toBe(0);
    chat.followRuns([], [statusOf(OTHER_RUN), statusOf(RUN)]);
    await expect.poll(() => chat.turns).toHaveLength(2);
    chat.followRuns([], [statusOf(OTHER_RUN), statusOf(RUN)]);
    expect(asks()).toBe(1);
  });

  it("loads the conversation again when there are more new runs than an update lists", async () => {
    await chat.send("make sandwich file");
    deliver(eventsOf([STARTED, ...ANSWERED]));
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN)));
    const elsewhere = (character: string) => ({
      ...statusOf(`run-${character.repeat(26)}`),
      conversationId: "conv-x",
    });
    chat.followRuns([], [elsewhere("2"), statusOf(RUN)]);
    chat.followRuns([], [elsewhere("4"), elsewhere("3"), elsewhere("2")]);
    expect(asks()).toBe(0);
    chat.followRuns([], [elsewhere("8"), elsewhere("7"), elsewhere("6")]);
    await expect.poll(asks).toBe(1);
  });

  it("updates a run that another tab resumed and that has ended", async () => {
    const interrupted = summaryOf(RUN, { status: "interrupted", lastSeq: 1 });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(interrupted));
    await chat.open(CONVERSATION);
    chat.followRuns([], [statusOf(RUN)]);
    await expect.poll(() => watchers.get(RUN)?.lastSeq()).toBe(1);
  });

  it("ignores updates of a run that has ended since they were collected", async () => {
    await chat.send("make sandwich file");
    deliver(eventsOf([STARTED, ...ANSWERED]));
    const before = { status: "running", lastSeq: 1 } as const;
    chat.followRuns([summaryOf(RUN, before)], [{ ...statusOf(RUN), ...before }]);
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN)));
    await chat.refresh();
    expect(watchers.size).toBe(0);
  });

  it("ignores runs of other conversations", () => {
    chat.followRuns([summaryOf(RUN)], [statusOf(RUN)]);
    expect(server.asked).toEqual([]);
  });

  it("shows requests in emulation, where no message is stored", async () => {
    const ended = summaryOf(RUN, { status: "ended", outcome: "answered", result: "Hello." });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => ({ ...conversationWith(), runs: [ended] }));
    await chat.open(CONVERSATION);
    expect(chat.turns.map(({ request, run }) => [request, run?.run.result])).toEqual([
      ["make sandwich file", "Hello."],
    ]);
  });

  it("distinguishes requests without a run from one that is being sent, and keeps their answers", async () => {
    const message = { conversationId: CONVERSATION, createdAt: AT };
    server.on(`GET /api/conversations/${CONVERSATION}`, () => ({
      ...conversationWith(),
      messages: [
        { ...message, id: "one", role: "person", text: "list my tasks" },
        { ...message, id: "two", role: "operator", text: "No tasks." },
        { ...message, id: "three", role: "person", text: "make sandwich file" },
      ],
    }));
    await chat.open(CONVERSATION);
    const turnsShown = () => chat.turns.map(({ request, answer, isSending }) => [request, answer, isSending]);
    const stored = [
      ["list my tasks", "No tasks.", false],
      ["make sandwich file", undefined, false],
    ];
    expect(turnsShown()).toEqual(stored);
    const sent = chat.send("make sandwich file");
    expect(turnsShown()).toEqual([...stored, ["make sandwich file", undefined, true]]);
    await sent;
  });

  it("shows the problem of a conversation that cannot be loaded", async () => {
    server.on(`GET /api/conversations/${CONVERSATION}`, (_, response) =>
      problem(response, 404, "NOT_FOUND", "There is no such conversation."),
    );
    await chat.open(CONVERSATION);
    expect(chat.problem?.text).toBe("There is no such conversation.");
    expect([chat.loading, chat.notFound]).toEqual([false, true]);
    server.on(`GET /api/conversations/${CONVERSATION}`, (_, response) =>
      problem(response, 503, "STORAGE_FULL", "The disk is full."),
    );
    await chat.retry();
    expect([chat.problem?.text, chat.notFound]).toEqual(["The disk is full.", false]);
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN)));
    await chat.retry();
    expect(chat.problem).toBeUndefined();
  });

  it("stops loading when a new conversation is started meanwhile", async () => {
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(summaryOf(RUN)));
    const opened = chat.open(CONVERSATION);
    await chat.open(undefined);
    expect(chat.loading).toBe(false);
    await opened;
    expect([chat.loading, chat.turns.length]).toEqual([false, 0]);
  });

  it("shows another conversation that is opened while a request is being sent", async () => {
    const other = `conv-${"9".repeat(26)}`;
    const { opened, open } = gate();
    server.on("POST /api/operator", async () => {
      await opened;
      return { runId: RUN, conversationId: CONVERSATION, status: "queued" };
    });
    server.on(`GET /api/conversations/${other}`, () => conversationWith(endedRun(OTHER_RUN)));
    const sent = chat.send("make sandwich file");
    await chat.open(other);
    expect([chat.title, chat.turns.length]).toEqual(["Sandwiches", 1]);
    open();
    await sent;
    expect([chat.conversationId, begun]).toEqual([other, []]);
  });

  it("shows a request that was sent after the person left its conversation and returned", async () => {
    let runs = [endedRun(OTHER_RUN)];
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(...runs));
    await chat.open(CONVERSATION);
    const { opened, open } = gate();
    server.on("POST /api/operator", async () => {
      await opened;
      runs = [...runs, endedRun(RUN)];
      return { runId: RUN, conversationId: CONVERSATION, status: "queued" };
    });
    const sent = chat.send("make sandwich file");
    await chat.open(undefined);
    await chat.open(CONVERSATION);
    expect(chat.turns).toHaveLength(1);
    open();
    await sent;
    await expect.poll(() => chat.turns).toHaveLength(2);
  });

  it("keeps a new conversation empty when the first request of another is accepted", async () => {
    const { opened, open } = gate();
    server.on("POST /api/operator", async () => {
      await opened;
      return { runId: RUN, conversationId: CONVERSATION, status: "queued" };
    });
    const sent = chat.send("make sandwich file");
    await chat.open(undefined);
    open();
    await sent;
    expect([chat.conversationId, begun, chat.turns.length]).toEqual([undefined, [], 0]);
  });

  it("keeps and follows a request that was sent while the conversation was loading", async () => {
    const path = `GET /api/conversations/${CONVERSATION}`;
    server.on(path, () => conversationWith(endedRun(OTHER_RUN)));
    await chat.open(CONVERSATION);
    const { opened, open } = gate();
    server.on(path, async () => {
      await opened;
      return conversationWith(endedRun(OTHER_RUN));
    });
    const read = chat.refresh();
    await expect.poll(asks).toBe(2);
    await chat.send("make sandwich file");
    const turn = chat.turns.at(-1);
    server.on(path, () => conversationWith(endedRun(OTHER_RUN), summaryOf(RUN)));
    open();
    await read;
    expect(chat.turns).toHaveLength(2);
    expect(chat.turns.at(-1)).toBe(turn);
    deliver(eventsOf([STARTED, ...ANSWERED]));
    expect(turn?.run?.run.result).toBe("Created out/sandwich.txt.");
  });

  it("orders the turns as the server does when the browser's clock differs", async () => {
    await chat.send("make sandwich file");
    const other = summaryOf(OTHER_RUN, { goal: "list my tasks", createdAt: "2126-11-20T09:30:12.123Z" });
    const own = summaryOf(RUN, { createdAt: "2126-11-20T09:30:13.123Z" });
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(other, own));
    server.on(`GET /api/runs/${OTHER_RUN}`, () => runOf(other));
    await chat.refresh();
    expect(chat.turns.map(({ request }) => request)).toEqual(["list my tasks", "make sandwich file"]);
  });

  it("clears a loading problem once loading succeeds, but keeps other problems", async () => {
    await chat.open(CONVERSATION);
    expect([chat.problem === undefined, chat.notFound]).toEqual([false, true]);
    server.on(`GET /api/conversations/${CONVERSATION}`, () => conversationWith(endedRun(RUN)));
    await chat.refresh();
    expect([chat.turns.length, chat.problem, chat.notFound]).toEqual([1, undefined, false]);
    const [turn] = chat.turns;
    if (turn) await chat.stop(turn);
    expect(chat.problem).toBeDefined();
    await chat.refresh();
    expect(chat.problem).toBeDefined();
  });
});
