import type { ServerResponse } from "node:http";
import type { RunEvent } from "@metahuman/core/contract/event";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Api } from "../../features/shell/api.ts";
import { Feed } from "./feed.svelte.ts";
import { HttpClient } from "../api/http-client.ts";
import { ANSWERED, eventsOf, OTHER_RUN, RUN, STARTED, summaryOf } from "../testing/fixtures.ts";
import { problem, startScriptedServer, type ScriptedServer } from "../testing/scripted-server.ts";

let server: ScriptedServer;
let feed: Feed;
let stop: () => void;
let signIns: number;
/** The streams that are open, the latest last. */
let streams: ServerResponse[];

function send(event: RunEvent | { type: string }): void {
  streams.at(-1)?.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** The requested runs with their positions, by stream, in order. */
function askedFor(): (string | null)[] {
  return server.asked.filter(({ path }) => path === "/api/events").map(({ query }) => query.get("runs"));
}

beforeEach(async () => {
  server = await startScriptedServer();
  streams = [];
  signIns = 0;
  server.on("GET /api/events", (_, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(": here\n\n");
    streams.push(response);
  });
  const signInAgain = async () => {
    signIns += 1;
  };
  feed = new Feed(new Api(new HttpClient({ fetch: server.fetch, signInAgain })), signInAgain);
});

afterEach(async () => {
  stop();
  await server.close();
});

async function connected(): Promise<void> {
  const before = streams.length;
  stop = feed.start();
  await expect.poll(() => streams.length).toBe(before + 1);
  await expect.poll(() => feed.connection).toBe("live");
}

function watched(runId = RUN): { seen: RunEvent[]; unwatch: () => void } {
  const seen: RunEvent[] = [];
  const lastSeq = () => seen.at(-1)?.seq ?? 0;
  return { seen, unwatch: feed.watch(runId, { lastSeq, onEvent: (event) => void seen.push(event) }) };
}

describe("Feed", () => {
  it("passes on the events of a watched run from its position", async () => {
    await connected();
    const { seen } = watched();
    await expect.poll(() => streams).toHaveLength(2);
    for (const event of eventsOf([STARTED, ...ANSWERED])) send(event);
    // The first event loads the schemas.
    const types = ["run-started", "answer-completed", "run-ended"];
    await expect.poll(() => seen.map(({ type }) => type)).toEqual(types);
    expect(askedFor()).toEqual([null, `${RUN}:0`]);
  });

  it("continues after the last event when the connection breaks", async () => {
    await connected();
    const { seen } = watched();
    await expect.poll(() => streams).toHaveLength(2);
    send(eventsOf([STARTED])[0] ?? { type: "" });
    await expect.poll(() => seen).toHaveLength(1);
    server.cut();
    await expect.poll(() => streams).toHaveLength(3);
    expect(askedFor().at(-1)).toBe(`${RUN}:1`);
    await expect.poll(() => feed.connection).toBe("live");
  });

  describe("of a server that is silent", () => {
    const limits = { beginMs: 60_000, doubtMs: 20, silenceMs: 60_000 };
    const newFeed = (changed: Partial<typeof limits>) =>
      new Feed(
        new Api(new HttpClient({ fetch: server.fetch, signInAgain: async () => undefined })),
        async () => undefined,
        { ...limits, ...changed },
      );

    it("is lost when a doubt is not answered, and live again when it answers", async () => {
      feed = newFeed({});
      await connected();
      const waiting: ServerResponse[] = [];
      server.on("GET /api/events", (_, response) => void waiting.push(response));
      feed.doubt();
      await expect.poll(() => feed.connection).toBe("lost");
      server.on("GET /api/events", (_, response) => {
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(": here\n\n");
      });
      feed.reconnectNow();
      await expect.poll(() => feed.connection).toBe("live");
    });

    it("is lost when nothing arrives any more, heartbeats included", async () => {
      feed = newFeed({ silenceMs: 50 });
      await connected();
      server.on("GET /api/events", () => undefined);
      await expect.poll(() => feed.connection).toBe("lost");
    });
  });

  it("reports a lost connection after the second attempt, and reconnects at once when the network is back", async () => {
    await connected();
    let away = true;
    server.on("GET /api/events", (_, response) => {
      if (away) return void response.destroy();
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      streams.push(response);
    });
    server.cut();
    await expect.poll(() => feed.connection).toBe("lost");
    away = false;
    feed.reconnectNow();
    await expect.poll(() => feed.connection).toBe("live");
  });

  it("stores updates of approvals, runs, the index and changed data", async () => {
    await connected();
    send({ type: "approvals", ...{ items: [], functions: [], total: 3 } });
    send({ type: "runs", ...{ items: [] } });
    await expect.poll(() => feed.approvalCount).toBe(3);
    await expect.poll(() => feed.activeRuns).toEqual([]);
    const { id, conversationId, status, lastSeq } = summaryOf(RUN);
    send({ type: "latest-runs", ...{ items: [{ id, conversationId, status, lastSeq }] } });
    await expect.poll(() => feed.latestRuns).toEqual([{ id, conversationId, status, lastSeq }]);
    const counts = {
      conversations: 1,
      memories: 1,
      functions: 1,
      grants: 1,
      settings: 2,
      schedules: 1,
      files: 1,
    };
    send({ type: "changes", ...{ counts } });
    await expect.poll(() => feed.changes).toEqual(counts);
  });

  it("asks the person to sign in again when the session has ended", async () => {
    let signedIn = false;
    server.on("GET /api/events", (_, response) => {
      if (!signedIn) {
        signedIn = true;
        return problem(response, 401, "SESSION_EXPIRED", "Your session has ended.");
      }
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      streams.push(response);
      return undefined;
    });
    await connected();
    expect(signIns).toBe(1);
  });

  it("excludes a deleted run, and includes the others when an update names them", async () => {
    await connected();
    server.on("GET /api/events", ({ query }, response) => {
      if (query.get("runs")?.includes(RUN))
        return problem(response, 404, "NOT_FOUND", "There is no such run.");
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      response.write(": here\n\n");
      streams.push(response);
      return undefined;
    });
    watched(OTHER_RUN);
    await expect.poll(() => streams).toHaveLength(2);
    watched(RUN);
    await expect.poll(() => askedFor().at(-1)).toBeNull();
    await expect.poll(() => streams).toHaveLength(3);
    send({ type: "runs", ...{ items: [summaryOf(OTHER_RUN)] } });
    await expect.poll(() => askedFor().at(-1)).toBe(`${OTHER_RUN}:0`);
  });
});
