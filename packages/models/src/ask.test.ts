import { ModelsConfig } from "@metahuman/core/contract/models";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { startModelServer, type ModelServer } from "../../../tests/support/model-server/server.ts";
import type { ChatScript } from "../../../tests/support/model-server/script.ts";
import { ask, askForJson, readJson, type AskOptions, type ModelCall } from "./ask.ts";
import { openProvider } from "./open-provider.ts";
import { createRouter } from "./router.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** One server for each script, to be asked in this order; one that is fallen back from speaks the OpenAI protocol. */
async function setUp(...scripts: ChatScript[][]) {
  const started = await Promise.all(scripts.map((answer) => startModelServer({ answer })));
  servers.push(...started);
  const config = ModelsConfig.parse({
    providers: Object.fromEntries(
      started.map(({ url, openAiUrl }, at) => [
        `server-${at}`,
        at < started.length - 1
          ? { kind: "openai-compatible", baseUrl: openAiUrl }
          : { kind: "ollama", baseUrl: url },
      ]),
    ),
    roles: { planner: started.map((_, at) => `server-${at}/test-model:latest`) },
  });
  const router = createRouter({
    config: () => config,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const calls: ModelCall[] = [];
  const warnings: string[] = [];
  const streamed: [string, number][] = [];
  const options: AskOptions = {
    router,
    role: "planner",
    purpose: "plan",
    signal: new AbortController().signal,
    onModelCall: (call) => calls.push(call),
    onWarning: (message) => warnings.push(message),
    onText: (text, offset) => streamed.push([text, offset]),
  };
  /** What somebody sees who follows the stream. */
  const seen = () => streamed.reduce((text, [piece, offset]) => text.slice(0, offset) + piece, "");
  return { servers: started, options, calls, warnings, streamed, seen };
}

const request = { messages: [{ role: "user" as const, content: "hello" }] };
const Plan = z.object({ thought: z.string().trim().min(1, "say in a few words why") });

describe("asking a model", () => {
  it("passes text on as it comes and returns the whole reply", async () => {
    const { options, streamed } = await setUp([{ say: "The list has three items.", pieces: 5 }]);
    expect(await ask(request, options)).toMatchObject({ text: "The list has three items." });
    expect(streamed.length).toBeGreaterThan(2);
  });

  it("passes the first piece on before the server has sent the second", async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>();
    const { options } = await setUp([{ say: "One. Two.", pieces: 2, gate }]);
    const first = Promise.withResolvers<string>();
    const reply = ask(request, { ...options, onText: (text) => first.resolve(text) });
    expect(await first.promise).toBe("One. ");
    resolve();
    expect((await reply).text).toBe("One. Two.");
  });

  it("counts what the reply cost", async () => {
    const { options, calls } = await setUp([{ say: "Yes.", tokens: { prompt: 41, completion: 6 } }]);
    await ask(request, options);
    expect(calls).toMatchObject([
      { model: "server-0/test-model:latest", reply: "Yes.", promptTokens: 41, completionTokens: 6 },
    ]);
  });

  it("begins anew when another model takes over, and counts both calls", async () => {
    const { options, calls, warnings, seen } = await setUp(
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

  it("counts a call that failed", async () => {
    const { options, calls } = await setUp([{ fault: "server-error" }]);
    await expect(ask(request, options)).rejects.toMatchObject({ reason: "server-error" });
    expect(calls).toMatchObject([
      { model: "server-0/test-model:latest", error: { code: "MODEL_UNAVAILABLE" } },
    ]);
  });

  it.each([
    ["at the beginning", "<think>Two and two.</think>\n\nFour.", "Two and two."],
    ["twice", "<think>Two.</think><thinking>And two.</thinking> Four.", "Two.And two."],
    ["with only its end marked", "Two and two.\n</think>\n\nFour.", "Two and two.\n"],
  ])("keeps thinking %s apart from text, in every number of pieces", async (_, say, thinking) => {
    for (const pieces of [1, 2, 7, 40]) {
      const { options, seen } = await setUp([{ say, pieces }]);
      expect(await ask(request, options)).toMatchObject({ text: "Four.", thinking });
      expect(seen()).toBe("Four.");
    }
  });

  it("leaves marks of thinking within a text alone", async () => {
    const say = "Write `<think>` before it:\n</think>\nand that is all.";
    const { options } = await setUp([{ say, pieces: 9 }]);
    expect((await ask(request, options)).text).toBe(say);
  });
});

describe("asking a model for JSON", () => {
  it("gives the server the schema and returns the parsed value", async () => {
    const {
      servers: [server],
      options,
    } = await setUp([{ json: { thought: " ok " } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true, value: { thought: "ok" } });
    expect(server?.chats()[0]?.format).toMatchObject({ type: "object", required: ["thought"] });
  });

  it("asks once more, showing the exact problems", async () => {
    const {
      servers: [server],
      options,
      calls,
    } = await setUp([{ json: { thought: "" } }, { json: { thought: "ok" } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true, value: { thought: "ok" } });
    expect(server?.chats()[1]?.messages.slice(-2)).toMatchObject([
      { role: "assistant", content: '{"thought":""}' },
      { role: "user", content: expect.stringContaining("- thought: say in a few words why") as unknown },
    ]);
    expect(calls).toHaveLength(2);
  });

  it("reports the problems of the second reply", async () => {
    const { options, calls } = await setUp([{ say: "no" }, { json: { thought: 7 } }]);
    const reply = await askForJson(Plan, request, options);
    expect(reply.ok ? [] : reply.problems).toEqual([expect.stringMatching(/^thought: /) as unknown]);
    expect(calls).toHaveLength(2);
  });

  it("takes an empty reply for one that does not fit", async () => {
    const { options } = await setUp([{ fault: "empty" }, { json: { thought: "ok" } }]);
    expect(await askForJson(Plan, request, options)).toMatchObject({ ok: true });
  });

  it("asks only once where the caller does its own retries", async () => {
    const { options, calls } = await setUp([{ say: "no" }]);
    expect(await askForJson(Plan, request, { ...options, retry: false })).toMatchObject({ ok: false });
    expect(calls).toHaveLength(1);
  });

  it("reads the last model's reply alone after a fallback", async () => {
    const { options } = await setUp(
      [{ fault: "error-midway", half: '{"thought": "half of' }],
      [{ json: { thought: "whole" } }],
    );
    expect(await askForJson(Plan, request, options)).toMatchObject({ value: { thought: "whole" } });
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
