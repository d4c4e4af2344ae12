import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatScript } from "../../../tests/support/model-server/script.ts";
import { askForJson, askForToolCalls, readJson } from "./structured-reply.ts";
import { openAskFixture } from "./testing/ask-fixture.ts";

const request = { messages: [{ role: "user" as const, content: "hello" }] };
const Plan = z.object({ thought: z.string().trim().min(1, "say in a few words why") });

describe("asking a model for JSON", () => {
  it("gives the server the schema and returns the parsed value", async () => {
    const {
      servers: [server],
      options,
    } = await openAskFixture([{ json: { thought: " ok " } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true, value: { thought: "ok" } });
    expect(server?.chats()[0]?.format).toMatchObject({ type: "object", required: ["thought"] });
  });

  it("asks once more, showing the exact problems", async () => {
    const {
      servers: [server],
      options,
      calls,
    } = await openAskFixture([{ json: { thought: "" } }, { json: { thought: "ok" } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true, value: { thought: "ok" } });
    expect(server?.chats()[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: '{"thought":""}' },
      { role: "user", content: expect.stringContaining("- thought: say in a few words why") as unknown },
    ]);
    expect(calls).toHaveLength(2);
  });

  it("reports the problems of the second reply", async () => {
    const { options, calls } = await openAskFixture([{ say: "no" }, { json: { thought: 7 } }]);
    const reply = await askForJson(Plan, request, options);
    expect(reply.ok ? [] : reply.problems).toEqual([expect.stringMatching(/^thought: /) as unknown]);
    expect(calls).toHaveLength(2);
  });

  it("takes an empty reply for one that does not fit", async () => {
    const { options } = await openAskFixture([{ fault: "empty" }, { json: { thought: "ok" } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
  });

  it("asks only once where the caller does its own retries", async () => {
    const { options, calls } = await openAskFixture([{ say: "no" }]);
    expect(await askForJson(Plan, request, { ...options, retry: false })).toMatchObject({ ok: false });
    expect(calls).toHaveLength(1);
  });

  it("says that a reply was cut off, with the advice of the caller, and never that it is invalid", async () => {
    const {
      servers: [server],
      options,
    } = await openAskFixture([
      { say: '{"thought": "a very long', finish: "length", tokens: { prompt: 9, completion: 700 } },
      { json: { thought: "ok" } },
    ]);
    const cutOffAdvice = (tokens: number) => `Half of ${tokens} will do.`;
    expect(await askForJson(Plan, request, { ...options, cutOffAdvice })).toMatchObject({ ok: true });
    const told = server?.chats()[1]?.messages.at(-1)?.content;
    expect(told).toContain("Your reply was cut off at 700 tokens. Half of 700 will do.");
    expect(told).not.toContain("valid");
  });

  it("ends a reply that goes on with nothing but white space, and asks again", async () => {
    const gate = new Promise<void>(() => undefined);
    const { servers, options } = await openAskFixture([
      { say: `{"thought":${"\n".repeat(2_000)}and so on`, pieces: 2, gate },
      { json: { thought: "ok" } },
    ]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
    await expect.poll(() => servers[0]?.chats()[0]?.aborted).toBe(true);
  });

  it("recognises a reply that ends at its cap although the server calls it complete", async () => {
    const { options } = await openAskFixture([
      { say: '{"thought": "a very', tokens: { prompt: 9, completion: 50 } },
    ]);
    const reply = await askForJson(Plan, { ...request, maxTokens: 50 }, { ...options, retry: false });
    expect(reply).toMatchObject({ ok: false, problems: ["Your reply was cut off at 50 tokens."] });
  });

  it("takes a whole object for a reply although words behind it were cut off", async () => {
    const { options, calls } = await openAskFixture([
      { say: '{"thought": "ok"}\nBecause', finish: "length" },
    ]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
    expect(calls).toHaveLength(1);
  });

  it("reads the last model's reply alone after a fallback", async () => {
    const { options } = await openAskFixture(
      [{ fault: "error-midway", half: '{"thought": "half of' }],
      [{ json: { thought: "whole" } }],
    );
    expect(await askForJson(Plan, request, options)).toMatchObject({ value: { thought: "whole" } });
  });
});

describe("asking a model with tools", () => {
  const tools = [{ name: "fs_write", description: "Write a file", parameters: { type: "object" } }];
  const call = (rawArgs: string, args = {}): ChatScript => ({ call: [{ name: "fs_write", args, rawArgs }] });

  /** Tool calls as text in pieces, as the OpenAI protocol sends them. */
  async function asking(...script: ChatScript[]) {
    // The second server is never asked: it only makes the first one speak the OpenAI protocol.
    const { servers, ...rest } = await openAskFixture(script, [{ say: "never" }]);
    return { server: servers[0], ...rest };
  }

  it("returns the calls that a model makes", async () => {
    const { options } = await asking(call('{"path": "a.md"}'));
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({
      value: { toolCalls: [{ name: "fs_write", args: { path: "a.md" } }] },
    });
  });

  it("tells the model that its arguments are malformed JSON, and where", async () => {
    const { options, server } = await asking(call('{"path": a.md}'), call('{"path": "a.md"}'));
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({
      value: { toolCalls: [{ args: { path: "a.md" } }] },
    });
    expect(server?.chats()[1]?.messages.at(-1)?.content).toMatch(
      /arguments of your call of fs_write are not valid JSON: .*token/u,
    );
  });

  it("never passes malformed arguments on as empty ones", async () => {
    const { options } = await asking(call('{"path": a.md}'));
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("fs_write are not valid JSON")],
    });
  });

  it("keeps the calls in front of one that cannot be read", async () => {
    const { options, calls } = await asking({
      call: [
        { name: "fs_write", args: { path: "a.md" } },
        { name: "fs_write", args: {}, rawArgs: "{" },
      ],
    });
    const { value } = await askForToolCalls({ ...request, tools }, options).then((answer) =>
      answer.ok ? answer : { value: undefined },
    );
    expect(value?.toolCalls).toMatchObject([{ args: { path: "a.md" } }]);
    expect(calls).toHaveLength(1);
  });

  it("says that a call was cut off, not that it is malformed", async () => {
    const { options, server } = await asking(
      {
        call: [{ name: "fs_write", args: {}, rawArgs: '{"path": "a.md", "content": "Once' }],
        finish: "length",
        tokens: { prompt: 9, completion: 600 },
      },
      call('{"path": "a.md"}'),
    );
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({ ok: true });
    const told = server?.chats()[1]?.messages.at(-1)?.content;
    expect(told).toContain("cut off at 600 tokens");
    expect(told).not.toContain("valid JSON");
  });

  it("sees that a call which the server could not read to its end was cut off", async () => {
    const { options, servers } = await openAskFixture([
      { say: '{"name": "fs_write", "arguments": {"path": "a.md", "con', finish: "length" },
      { call: [{ name: "fs_write", args: { path: "a.md" } }] },
    ]);
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({ ok: true });
    expect(servers[0]?.chats()[1]?.messages.at(-1)?.content).toContain("cut off");
  });

  it("asks again when Ollama says that it cannot read a call", async () => {
    const { options, calls } = await openAskFixture([
      { fault: "unreadable-call" },
      { call: [{ name: "fs_write", args: { path: "a.md" } }] },
    ]);
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({ ok: true });
    expect(calls).toHaveLength(2);
  });
});

describe("reading JSON in a reply", () => {
  const plan = { thought: "use {braces} and </think>" };
  it.each([
    ["bare JSON", JSON.stringify(plan)],
    ["a fence", "```json\n" + JSON.stringify(plan, null, 2) + "\n```"],
    ["thinking before it", `<think>maybe {"thought":"no"} instead</think>\n${JSON.stringify(plan)}`],
    ["words around it", `Sure! Here it is:\n${JSON.stringify(plan)}\nLet me know how it goes.`],
    ["braces in the words before it", `Using {curly} style: ${JSON.stringify(plan)}`],
  ])("finds the object in %s", (_, text) => {
    expect(readJson(Plan, text)).toEqual({ ok: true, value: plan });
  });

  it.each([
    ["nothing", ""],
    ["prose", "I would read the file."],
    ["an object that breaks off", '{"thought": "read", "action": {"tool":'],
    ["thinking without end", '<think> hm {"thought":"x"}'],
  ])("finds none in %s", (_, text) => {
    expect(readJson(Plan, text)).toEqual({
      ok: false,
      problems: ["The reply held no complete JSON object."],
    });
  });

  it("never throws, whatever the model writes", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readJson(Plan, text);
      }),
    );
  });
});
