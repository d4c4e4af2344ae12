import { describe, expect, it } from "vitest";
import type { ChatFault, ChatScript } from "../../../tests/support/model-server/script.ts";
import { ask } from "./ask.ts";
import { retryAfterMs } from "./model-error.ts";
import { openAskFixture, openAskFixtureWith } from "./testing/ask-fixture.ts";

const request = { messages: [{ role: "user" as const, content: "hello" }] };

describe("asking a model", () => {
  it("streams text and returns the whole reply", async () => {
    const { options, streamed } = await openAskFixture([{ say: "The list has three items.", pieces: 5 }]);
    expect(await ask(request, options)).toMatchObject({ text: "The list has three items." });
    expect(streamed.length).toBeGreaterThan(2);
  });

  it("streams the first piece before the server sends the second", async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const { options } = await openAskFixture([{ say: "One. Two.", pieces: 2, gate }]);
    const first = Promise.withResolvers<string>();
    const reply = ask(request, { ...options, onText: (text) => first.resolve(text) });
    expect(await first.promise).toBe("One. ");
    resolve();
    expect((await reply).text).toBe("One. Two.");
  });

  it("counts the tokens of a reply", async () => {
    const { options, calls } = await openAskFixture([{ say: "Yes.", tokens: { prompt: 41, completion: 6 } }]);
    await ask(request, options);
    expect(calls).toMatchObject([
      { model: "server-0/test-model:latest", reply: "Yes.", promptTokens: 41, completionTokens: 6 },
    ]);
  });

  it("restarts the reply when another model takes over, and counts both calls", async () => {
    const { options, calls, warnings, seen } = await openAskFixture(
      [{ fault: "error-midway", half: "The first half" }],
      [{ say: "All of it." }],
    );
    expect((await ask(request, options)).text).toBe("All of it.");
    expect(seen()).toBe("All of it.");
    expect(calls).toMatchObject([
      { model: "server-0/test-model:latest", reply: "The first half", error: { code: "MODEL_UNAVAILABLE" } },
      { model: "server-1/test-model:latest", reply: "All of it." },
    ]);
    expect(warnings).toEqual([expect.stringContaining("Went on with server-1/test-model:latest")]);
  });

  it("fails without recording all of a reply that never ends", async () => {
    const { options, calls } = await openAskFixture([{ say: "and so on ".repeat(200_000), pieces: 20 }]);
    await expect(ask(request, options)).rejects.toMatchObject({ reason: "malformed" });
    expect(calls[0]?.reply.length).toBeLessThan(600_000);
  });

  it("waits as long as a server asks that limits requests", async () => {
    const { options, calls, warnings } = await openAskFixture([
      { fault: "rate-limited", retryAfter: "0" },
      { say: "Here I am." },
    ]);
    expect((await ask(request, options)).text).toBe("Here I am.");
    expect(calls).toHaveLength(2);
    expect(warnings).toEqual([expect.stringContaining("is limiting requests. It is asked again in 0 s.")]);
  });

  it("waits no longer than a minute, and no longer than the caller", async () => {
    const far = await openAskFixture([{ fault: "rate-limited", retryAfter: "3600" }]);
    await expect(ask(request, far.options)).rejects.toMatchObject({ reason: "rate-limited" });
    expect(far.calls).toHaveLength(1);
    const near = await openAskFixture([{ fault: "rate-limited", retryAfter: "50" }]);
    const caller = new AbortController();
    const onWarning = () => caller.abort(new Error("stopped"));
    await expect(ask(request, { ...near.options, signal: caller.signal, onWarning })).rejects.toThrow(
      "stopped",
    );
    expect(near.calls).toHaveLength(1);
  });

  it("reads the seconds and the date of a server that asks to wait", () => {
    const now = Date.parse("2026-11-28T10:00:00Z");
    expect(retryAfterMs("7", now)).toBe(7_000);
    expect(retryAfterMs("Sat, 28 Nov 2026 10:00:30 GMT", now)).toBe(30_000);
    expect(retryAfterMs("Sat, 28 Nov 2026 09:00:00 GMT", now)).toBe(0);
    for (const other of ["soon", "-3", "", null]) expect(retryAfterMs(other, now)).toBeUndefined();
  });

  it("counts a call that failed", async () => {
    const { options, calls } = await openAskFixture([{ fault: "key-refused" }]);
    await expect(ask(request, options)).rejects.toMatchObject({ reason: "key-refused" });
    expect(calls).toMatchObject([
      { model: "server-0/test-model:latest", error: { code: "MODEL_UNAVAILABLE" } },
    ]);
  });

  it.each<[ChatFault, string]>([
    ["server-error", "MODEL_UNAVAILABLE"],
    ["reset", "MODEL_UNAVAILABLE"],
    ["rate-limited", "RATE_LIMITED"],
  ])("asks once more after a server's %s", async (fault, code) => {
    const { options, calls, warnings } = await openAskFixture([{ fault }, { say: "Here I am." }]);
    expect((await ask(request, options)).text).toBe("Here I am.");
    expect(calls).toMatchObject([{ error: { code } }, { reply: "Here I am." }]);
    expect(warnings).toEqual([expect.stringContaining("The model was asked once more.")]);
  });

  it("goes on with the next model when the server fails twice", async () => {
    const { options, calls, warnings } = await openAskFixture(
      [{ fault: "server-error" }, { fault: "server-error" }],
      [{ say: "Here I am." }],
    );
    expect((await ask(request, options)).text).toBe("Here I am.");
    expect(calls.map(({ model }) => model.slice(0, 8))).toEqual(["server-0", "server-0", "server-1"]);
    expect(warnings).toEqual([
      expect.stringContaining("asked once more"),
      expect.stringContaining("Went on with server-1/test-model:latest"),
    ]);
  });

  it("ends with the caller while it waits to ask once more", async () => {
    const caller = new AbortController();
    const { options, calls } = await openAskFixture(() => {
      setTimeout(() => caller.abort(new Error("stopped")), 100);
      return { fault: "server-error" };
    });
    await expect(ask(request, { ...options, signal: caller.signal })).rejects.toThrow("stopped");
    expect(calls).toHaveLength(1);
  });

  it.each([
    ["at the beginning", "<think>Two and two.</think>\n\nFour.", "Two and two."],
    ["twice", "<think>Two.</think><thinking>And two.</thinking> Four.", "Two.And two."],
    ["with only a closing tag", "Two and two.\n</think>\n\nFour.", "Two and two.\n"],
  ])("separates thinking %s from text, for any number of pieces", async (_, say, thinking) => {
    for (const pieces of [1, 2, 7, 40]) {
      const { options, seen, calls } = await openAskFixture([{ say, pieces }]);
      expect(await ask(request, options)).toMatchObject({ text: "Four.", thinking });
      expect(seen()).toBe("Four.");
      expect(calls).toMatchObject([{ reply: "Four.", thinking: thinking.trim() }]);
    }
  });

  it("keeps thinking tags inside a text", async () => {
    const say = "Write `<think>` before it:\n</think>\nand that is all.";
    const { options } = await openAskFixture([{ say, pieces: 9 }]);
    expect((await ask(request, options)).text).toBe(say);
  });
});

describe("a reply that breaks off before its end", () => {
  const brokenOff: ChatScript = { fault: "truncated", half: "The wall is lo" };

  it.each<[how: string, fault: ChatFault]>([
    ["whose connection closes", "truncated"],
    ["in which the server reports an error", "error-midway"],
    ["that falls silent", "silent-midway"],
  ])("is asked for once more, and replaces the first part: one %s", async (_, fault) => {
    const { options, calls, warnings, seen } = await openAskFixtureWith({ silenceMs: 200 }, [
      { fault, half: "The wall is lo" },
      { say: "The wall is red." },
    ]);
    expect((await ask(request, options)).text).toBe("The wall is red.");
    expect(seen()).toBe("The wall is red.");
    expect(calls).toMatchObject([{ error: {} }, { reply: "The wall is red." }]);
    expect(warnings).toEqual([expect.stringContaining("asked once more")]);
  });

  it("fails when the second reply is not complete either", async () => {
    const { options, calls } = await openAskFixture(() => brokenOff);
    await expect(ask(request, options)).rejects.toMatchObject({ reason: "truncated" });
    expect(calls).toHaveLength(2);
  });
});

describe("a text that was cut off", () => {
  const cutOff = (say: string): ChatScript => ({
    say,
    finish: "length",
    tokens: { prompt: 10, completion: 5 },
  });

  it("is continued where it ended, as one reply", async () => {
    const { options, servers, calls, seen } = await openAskFixture([
      cutOff("The wall is long, "),
      cutOff("old and "),
      { say: "red." },
    ]);
    const reply = await ask(request, options);
    expect(reply).toMatchObject({ text: "The wall is long, old and red.", cutOffAfterTokens: undefined });
    expect(seen()).toBe(reply.text);
    expect(calls).toHaveLength(3);
    expect(reply.usage.completionTokens).toBe(30);
    expect(servers[0]?.chats()[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: "The wall is long, " },
      { role: "user", content: expect.stringContaining("cut off") as unknown },
    ]);
  });

  it("does not contain the words that the continuation repeats", async () => {
    const { options, seen } = await openAskFixture([
      cutOff("The wall along the river is"),
      { say: "along the river is red.", pieces: 9 },
    ]);
    expect((await ask(request, options)).text).toBe("The wall along the river is red.");
    expect(seen()).toBe("The wall along the river is red.");
  });

  it("keeps its beginning when another model takes over during the continuation", async () => {
    let asked = 0;
    const { options, seen } = await openAskFixture(
      () => ((asked += 1) === 1 ? cutOff("The wall is ") : { fault: "error-midway", half: "very lo" }),
      [{ say: "long." }],
    );
    expect((await ask(request, options)).text).toBe("The wall is long.");
    expect(seen()).toBe("The wall is long.");
  });

  it("stays truncated with a warning when the continuation fails", async () => {
    const { options, warnings } = await openAskFixture([cutOff("The wall is "), { fault: "key-refused" }]);
    expect(await ask(request, options)).toMatchObject({ text: "The wall is ", cutOffAfterTokens: 5 });
    expect(warnings).toEqual([expect.stringContaining("ends where it was cut off")]);
  });

  it("is not continued beyond the request's limit", async () => {
    const { options, calls } = await openAskFixture([cutOff("The wall is ")]);
    expect(await ask({ ...request, maxTokens: 5 }, options)).toMatchObject({ cutOffAfterTokens: 5 });
    expect(calls).toHaveLength(1);
  });
});

describe("a reply that consists of thinking only", () => {
  it("is requested again without thinking", async () => {
    const { options, servers } = await openAskFixture([
      { say: "", thinking: "Hmm, ", finish: "length" },
      { say: "Four." },
    ]);
    for (const server of servers)
      server.models = [{ name: "test-model:latest", abilities: ["completion", "thinking"] }];
    expect((await ask({ ...request, think: "on" }, options)).text).toBe("Four.");
    expect(servers[0]?.chats().map(({ body }) => body["think"])).toEqual([true, false]);
  });

  it("fails with a suggestion when the retry is thinking too", async () => {
    const { options } = await openAskFixture([{ say: "", thinking: "Hmm, ", finish: "length" }]);
    await expect(ask(request, options)).rejects.toMatchObject({
      reason: "empty",
      suggestions: [expect.stringContaining("models.think")],
    });
  });
});
