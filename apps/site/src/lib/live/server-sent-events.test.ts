import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function read(...chunks: string[]): Promise<ServerSentEvent[]> {
  const encoder = new TextEncoder();
  return Array.fromAsync(parseServerSentEvents(streamOf(chunks.map((chunk) => encoder.encode(chunk)))));
}

describe("parseServerSentEvents", () => {
  it("parses type and data", async () => {
    expect(await read('id: 7\nevent: run-ended\ndata: {"a":1}\n\n')).toEqual([
      { event: "run-ended", data: '{"a":1}' },
    ]);
  });

  it("joins data lines, and uses the type message by default", async () => {
    expect(await read("id: 1\ndata: a\ndata: b\n\ndata:c\n\n")).toEqual([
      { event: "message", data: "a\nb" },
      { event: "message", data: "c" },
    ]);
  });

  it("ignores heartbeats and unknown fields", async () => {
    expect(await read(": still here\n\nretry: 10\n\n: again\n\ndata: x\n\n")).toEqual([
      { event: "message", data: "x" },
    ]);
  });

  it("drops an incomplete last event", async () => {
    expect(await read("data: whole\n\ndata: half")).toEqual([{ event: "message", data: "whole" }]);
  });

  it("parses the same events for every split of the bytes and every line ending", async () => {
    const event = fc.record({
      event: fc.stringMatching(/^[a-z-]{1,8}$/),
      data: fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replace(/[\r\n]/g, " ")),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 5 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat({ max: 12 }), { maxLength: 60 }),
        async (events, end, cuts) => {
          const text = events
            .map(({ event: type, data }) => `id: 7${end}event: ${type}${end}data: ${data}${end}${end}`)
            .join("");
          const bytes = new TextEncoder().encode(text);
          const chunks: Uint8Array[] = [];
          let index = 0;
          for (const cut of cuts) chunks.push(bytes.subarray(index, (index += cut)));
          chunks.push(bytes.subarray(index));
          expect(await Array.fromAsync(parseServerSentEvents(streamOf(chunks)))).toEqual(events);
        },
      ),
    );
  });
});
