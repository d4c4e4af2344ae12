import { describe, expect, it } from "vitest";
import type { Connection } from "../http/connection.ts";
import { createLiveStreams, type LiveStream } from "../http/live-streams.ts";
import { eventStream, type ServerSentEvent } from "./event-stream.ts";

const atOnce: Connection = {
  address: "::1",
  fromLoopback: true,
  secure: false,
  drained: () => Promise.resolve(),
};

function open(
  source: (signal: AbortSignal) => AsyncIterable<ServerSentEvent>,
  { connection = atOnce, signal = new AbortController().signal } = {},
) {
  const live = createLiveStreams();
  return { live, response: eventStream(source, { live, connection, credentialId: "ours", signal }) };
}

async function* forever(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  yield { event: "first", data: 1 };
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

describe("a stream of events", () => {
  it("writes id, type and data of each event, and ends with its source", async () => {
    const { response } = open(async function* () {
      yield await Promise.resolve({ id: "7", event: "run-ended", data: { text: "two\nlines" } });
    });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    expect(await response.text()).toBe(
      'retry: 2000\n\nid: 7\nevent: run-ended\ndata: {"text":"two\\nlines"}\n\n',
    );
  });

  it("ends when its own session ends", async () => {
    const { live, response } = open(forever);
    const text = response.text();
    live.endOf(["another"]);
    await new Promise(setImmediate);
    live.endOf(["ours"]);
    expect(await text).toContain("event: first");
  });

  it("ends at once if its session ended since the request began", async () => {
    const live = createLiveStreams();
    const stopped = live.begin({ credentialId: "ours", onEnd: () => undefined });
    live.endOf(["ours"]);
    const options = { live, connection: atOnce, credentialId: "ours", signal: new AbortController().signal };
    expect(await eventStream(forever, options).text()).toBe("retry: 2000\n\n");
    stopped();
  });

  it("ends even if its source does not react", async () => {
    const { live, response } = open(() => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    }));
    const text = response.text();
    live.close();
    expect(await text).toBe("retry: 2000\n\n");
  });

  it("tells its source when the reader disconnects", async () => {
    let left = false;
    const { response } = open(async function* (signal) {
      signal.addEventListener("abort", () => (left = true));
      yield* forever(signal);
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    await reader?.cancel();
    expect(left).toBe(true);
  });

  it("ends for a reader who disconnected before it started", async () => {
    const { response } = open(forever, { signal: AbortSignal.abort() });
    expect(await response.text()).toBe("retry: 2000\n\n");
  });

  it("ends a source between two messages", async () => {
    let finished = false;
    async function* busy(): AsyncGenerator<ServerSentEvent> {
      try {
        for (let data = 0; ; data += 1) yield await Promise.resolve({ event: "n", data });
      } finally {
        finished = true;
      }
    }
    const { response } = open(busy);
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    await reader?.cancel();
    await new Promise(setImmediate);
    expect(finished).toBe(true);
  });

  it("requests nothing from its source while the connection is full", async () => {
    const drain = Promise.withResolvers<undefined>();
    let asked = 0;
    const counting = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: { event: "n", data: (asked += 1) } }),
      }),
    };
    const { response } = open(() => counting, { connection: { ...atOnce, drained: () => drain.promise } });
    const reader = response.body?.getReader();
    await reader?.read();
    await new Promise(setImmediate);
    expect(asked).toBe(0);
    drain.resolve(undefined);
    await reader?.read();
    expect(asked).toBeGreaterThan(0);
  });

  it("reports an error of the source without internal details", async () => {
    const { response } = open(async function* () {
      yield await Promise.resolve({ event: "first", data: 1 });
      throw new Error("/root/secret path");
    });
    const text = await response.text();
    expect(text).toContain("event: problem\n");
    expect(text).toContain("UNEXPECTED_ERROR");
    expect(text).not.toContain("secret");
  });
});

it("shares one heartbeat among all streams, and accepts none after closing", () => {
  const live = createLiveStreams();
  const ended: string[] = [];
  const stream = (credentialId: string): LiveStream => ({
    credentialId,
    sendHeartbeat: () => undefined,
    end: () => ended.push(credentialId),
  });
  const remove = live.add(stream("left"));
  live.add(stream("stayed"));
  remove();
  live.close();
  live.add(stream("late"));
  expect(ended).toEqual(["stayed", "late"]);
});
