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

  it("retries once with the exact problems", async () => {
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

  it("treats an empty reply as invalid", async () => {
    const { options } = await openAskFixture([{ fault: "empty" }, { json: { thought: "ok" } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
  });

  it("does not retry if the caller retries itself", async () => {
    const { options, calls } = await openAskFixture([{ say: "no" }]);
    expect(await askForJson(Plan, request, { ...options, retry: false })).toMatchObject({ ok: false });
    expect(calls).toHaveLength(1);
  });

  it("reports a truncated reply with the caller's advice, not as invalid", async () => {
    const {
      servers: [server],
      options,
    } = await openAskFixture([
      { say: '{"thought": "a very long', finish: "length", tokens: { prompt: 9, completion: 700 } },
      { json: { thought: "ok" } },
    ]);
    const cutOffAdvice = (tokens: number) => `Half of ${tokens} will do.`;
    expect(await askForJson(Plan, request, { ...options, cutOffAdvice })).toMatchObject({ ok: true });
    const correction = server?.chats()[1]?.messages.at(-1)?.content;
    expect(correction).toContain("Your reply was cut off at 700 tokens. Half of 700 will do.");
    expect(correction).not.toContain("valid");
  });

  it("ends a reply of endless white space and retries", async () => {
    const gate = new Promise<void>(() => undefined);
    const { servers, options } = await openAskFixture([
      { say: `{"thought":${"\n".repeat(2_000)}and so on`, pieces: 2, gate },
      { json: { thought: "ok" } },
    ]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
    await expect.poll(() => servers[0]?.chats()[0]?.aborted).toBe(true);
  });

  it("detects a reply that reached its limit although the server reports it as complete", async () => {
    const { options } = await openAskFixture([
      { say: '{"thought": "a very', tokens: { prompt: 9, completion: 50 } },
    ]);
    const reply = await askForJson(Plan, { ...request, maxTokens: 50 }, { ...options, retry: false });
    expect(reply).toMatchObject({ ok: false, problems: ["Your reply was cut off at 50 tokens."] });
  });

  it("accepts a complete object although the text after it was cut off", async () => {
    const { options, calls } = await openAskFixture([
      { say: '{"thought": "ok"}\nBecause', finish: "length" },
    ]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
    expect(calls).toHaveLength(1);
  });

  it("uses only the last model's reply after a fallback", async () => {
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

  it("reports malformed JSON in arguments to the model, with the position", async () => {
    const { options, server } = await asking(call('{"path": a.md}'), call('{"path": "a.md"}'));
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({
      value: { toolCalls: [{ args: { path: "a.md" } }] },
    });
    expect(server?.chats()[1]?.messages.at(-1)?.content).toMatch(
      /arguments of your call of fs_write are not valid JSON: .*token/u,
    );
  });

  it("never replaces malformed arguments by empty ones", async () => {
    const { options } = await asking(call('{"path": a.md}'));
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({
      ok: false,
      problems: [expect.stringContaining("fs_write are not valid JSON")],
    });
  });

  it("keeps the calls before a malformed one", async () => {
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

  it("reports a truncated call as truncated, not as malformed", async () => {
    const { options, server } = await asking(
      {
        call: [{ name: "fs_write", args: {}, rawArgs: '{"path": "a.md", "content": "Once' }],
        finish: "length",
        tokens: { prompt: 9, completion: 600 },
      },
      call('{"path": "a.md"}'),
    );
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({ ok: true });
    const correction = server?.chats()[1]?.messages.at(-1)?.content;
    expect(correction).toContain("cut off at 600 tokens");
    expect(correction).not.toContain("valid JSON");
  });

  it("detects that a call the server could not parse was truncated", async () => {
    const { options, servers } = await openAskFixture([
      { say: '{"name": "fs_write", "arguments": {"path": "a.md", "con', finish: "length" },
      { call: [{ name: "fs_write", args: { path: "a.md" } }] },
    ]);
    expect(await askForToolCalls({ ...request, tools }, options)).toMatchObject({ ok: true });
    expect(servers[0]?.chats()[1]?.messages.at(-1)?.content).toContain("cut off");
  });

  it("retries when Ollama reports that it cannot parse a call", async () => {
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

  it("never throws for any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readJson(Plan, text);
      }),
    );
  });
});
