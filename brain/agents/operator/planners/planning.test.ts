import { NO_CONVERSATION } from "@metahuman/core/context/build-context-package";
import { afterEach, describe, expect, it } from "vitest";
import { OperatorConfig } from "@metahuman/core/contract/config";
import { ModelsConfig } from "@metahuman/core/contract/models";
import type { ScratchpadEntry } from "@metahuman/core/contract/run";
import type { ModelCall } from "@metahuman/models/ask";
import { openProvider } from "@metahuman/models/open-provider";
import { createRouter } from "@metahuman/models/router";
import { installedSkills } from "@metahuman/skills/installed";
import { skillCard } from "@metahuman/skills/skill-card";
import { startModelServer, type ModelServer } from "../../../../tests/support/model-server/server.ts";
import type { ChatScript } from "../../../../tests/support/model-server/script.ts";
import type { PlanState } from "../planner.ts";
import { prompt } from "../prompts/load-prompt.ts";
import { createCatalogSource } from "./model/catalog.ts";
import { createConversationPlanner } from "./conversation.ts";
import { createStructuredPlanner } from "./structured.ts";
import { createToolCallingPlanner } from "./tool-calling.ts";
import { withFallback } from "./with-fallback.ts";

const servers: ModelServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function setUp(script: readonly ChatScript[]) {
  const server = await startModelServer({ answer: script });
  servers.push(server);
  const models = ModelsConfig.parse({ providers: { ollama: { kind: "ollama", baseUrl: server.url } } });
  const router = createRouter({
    config: () => models,
    useSingleModel: () => false,
    open: (id, entry, limits) => openProvider(id, entry, limits, {}),
  });
  const config = OperatorConfig.parse({});
  const cards = installedSkills.map(skillCard);
  const catalog = createCatalogSource({ cards: () => cards, settings: () => config.performance });
  const options = { router, config: () => config, catalog };
  return {
    server,
    structured: createStructuredPlanner(options),
    toolCalling: createToolCallingPlanner(options),
    conversation: createConversationPlanner(router, () => "persona"),
  };
}

const calls: ModelCall[] = [];
const state = (scratchpad: ScratchpadEntry[] = []): PlanState => ({
  runId: "run-1",
  request: "read notes/today.md",
  requestedAt: new Date("2026-01-01T08:00:00Z"),
  timeZone: "Europe/Oslo",
  locale: "en-GB",
  scratchpad,
  context: undefined,
  conversation: NO_CONVERSATION,
  skills: installedSkills,
  onModelCall: (call) => calls.push(call),
});
const read: ScratchpadEntry = {
  step: 1,
  thought: "I need the file.",
  action: { tool: "fs_read", args: { path: "notes/today.md" } },
  observation: {
    mode: "narrative",
    content: "Read out/notes/today.md: milk",
    success: true,
    outputs: {},
  },
  timestamp: "2026-01-01T08:00:01.000Z",
};
const never = () => new AbortController().signal;

describe("a model that becomes unavailable after a step", () => {
  it("leaves open whether a further step is missing", async () => {
    const { structured } = await setUp(Array.from({ length: 3 }, () => ({ fault: "server-error" as const })));
    const decision = await withFallback(structured, structured).next(state([read]), never());
    expect(decision).toMatchObject({ kind: "answer", outcome: "failed" });
    expect(decision).toHaveProperty(
      "text",
      expect.stringContaining(
        "Not done: whatever else this request asks for. Choose Continue when the model is back.",
      ),
    );
  });
});

describe("a model that cannot be reached, for a request in German", () => {
  it("is reported in German, with the cause as the server gave it", async () => {
    const { structured } = await setUp(Array.from({ length: 3 }, () => ({ fault: "server-error" as const })));
    const request = "fass mir bitte die Notizen von gestern zusammen";
    const decision = await withFallback(structured, structured).next({ ...state(), request }, never());
    expect(decision).toMatchObject({ kind: "answer", outcome: "failed" });
    expect(decision).toHaveProperty(
      "text",
      expect.stringMatching(
        /^Das Sprachmodell hat nicht richtig geantwortet\. \(.*server error.*\)\n.*Es wurde nichts geändert\. Mit „Continue“/su,
      ),
    );
  });
});

describe("a model that talks in the form of a plan", () => {
  it.each([
    ['{"thought": "chat", "respond": true, "answer": "Glad you like it."}', "Glad you like it.", false],
    ["Glad you like it.", "Glad you like it.", true],
  ])("is shown with its answer alone: %s", async (say, text, streamed) => {
    const { conversation } = await setUp([{ say }]);
    const decision = await conversation.next({ ...state(), request: "good" }, never());
    expect(decision).toMatchObject({ kind: "answer", text, streamed });
  });
});

describe("the structured planner", () => {
  it("converts the model's JSON to the next call, and counts its cost", async () => {
    calls.length = 0;
    const { structured } = await setUp([
      {
        json: { thought: "I need the file.", action: { tool: "fs_read", args: { path: "notes/today.md" } } },
        tokens: { prompt: 900, completion: 30 },
      },
    ]);
    expect(await structured.next(state(), never())).toEqual({
      kind: "act",
      thought: "I need the file.",
      action: { tool: "fs_read", args: { path: "notes/today.md" } },
    });
    expect(calls).toMatchObject([
      {
        purpose: "plan",
        role: "planner",
        model: "ollama/test-model:latest",
        promptTokens: 900,
        completionTokens: 30,
      },
    ]);
  });

  it("finishes in the style that the model selects", async () => {
    const { structured } = await setUp([
      { json: { thought: "(1) shows it.", respond: true, responseStyle: "strict" } },
    ]);
    expect(await structured.next(state([read]), never())).toEqual({
      kind: "answer",
      thought: "(1) shows it.",
      style: "strict",
    });
  });

  it("asks once more if a reply is invalid, and tells the model why", async () => {
    const { server, structured } = await setUp([
      { say: "I would read the file now." },
      { json: { thought: "ok", respond: true } },
    ]);
    expect(await structured.next(state(), never())).toMatchObject({ kind: "answer" });
    expect(server.chats()[1]?.messages.at(-1)?.content).toContain("no complete JSON object");
  });

  it("gives up with a typed error if the reply is invalid twice", async () => {
    const { structured } = await setUp([{ say: "no" }, { json: { thought: "" } }]);
    await expect(structured.next(state(), never())).rejects.toMatchObject({ code: "PLAN_INVALID" });
  });

  it.each(["I apologize, but I cannot produce JSON.", "Sorry, I can't answer in the required format."])(
    "does not show the person a reply about its own form: %s",
    async (say) => {
      const { structured } = await setUp([{ say }, { say }]);
      await expect(structured.next(state(), never())).rejects.toMatchObject({ code: "PLAN_INVALID" });
    },
  );

  it("shows a reply about JSON to the person who asks about it", async () => {
    const say = "JSON is a format for data.";
    const { structured } = await setUp([{ say }, { say }]);
    const asked = { ...state(), request: "what is JSON?" };
    expect(await structured.next(asked, never())).toMatchObject({ kind: "answer", text: say });
  });

  it("constrains the reply to the tools that are installed", async () => {
    const { server, structured } = await setUp([{ json: { thought: "ok", respond: true } }]);
    await structured.next(state(), never());
    const format = JSON.stringify(server.chats()[0]?.format);
    const callable = installedSkills.filter(({ id }) => id !== "conversational_response");
    for (const { id } of callable) expect(format).toContain(`"enum":["${id}"]`);
  });

  it("sends each step's prompt as a continuation of the one before", async () => {
    const { server, structured } = await setUp([{ json: { thought: "ok", respond: true } }]);
    await structured.next(state(), never());
    await structured.next(state([read]), never());
    const [first, second] = server.chats().map(({ messages }) => JSON.stringify(messages));
    const shared = [...(first ?? "")].findIndex((character, index) => second?.[index] !== character);
    // Only the current time and the remaining steps follow the common prefix of two prompts.
    expect(first?.slice(shared)).toMatch(/^.{0,4}\(Now: [^"]*"\}\]$/u);
    expect(shared / (first?.length ?? 0)).toBeGreaterThan(0.9);
    expect(server.chats()[1]?.messages.at(-1)?.content).toContain(
      "Observation 1: <data>Read out/notes/today.md",
    );
  });

  it("stops at once when it is aborted", async () => {
    const { structured } = await setUp([{ fault: "silent" }]);
    const controller = new AbortController();
    const moving = structured.next(state(), controller.signal);
    controller.abort(new Error("stop"));
    await expect(moving).rejects.toThrow("stop");
  });
});

describe("the tool-calling planner", () => {
  it("converts the model's tool call to the next call", async () => {
    const { server, toolCalling } = await setUp([
      { call: [{ name: "fs_read", args: { path: "notes/today.md" } }] },
    ]);
    expect(await toolCalling.next(state(), never())).toMatchObject({
      kind: "act",
      action: { tool: "fs_read", args: { path: "notes/today.md" } },
    });
    expect(server.chats()[0]?.tools).toEqual(
      expect.arrayContaining(["fs_read", "task_list", "skill_search"]),
    );
  });

  it("plans further calls of the same reply in parallel", async () => {
    const call = (path: string) => ({ name: "fs_read", args: { path } });
    const { toolCalling } = await setUp([{ call: [call("a.md"), call("b.md"), call("c.md")] }]);
    expect(await toolCalling.next(state(), never())).toMatchObject({
      action: { args: { path: "a.md" } },
      parallel: [{ action: { args: { path: "b.md" } } }, { action: { args: { path: "c.md" } } }],
    });
  });

  it("returns results as results of its calls, and finishes when the model makes no more calls", async () => {
    const { server, toolCalling } = await setUp([{ say: "The note says milk." }]);
    expect(await toolCalling.next(state([read]), never())).toMatchObject({
      kind: "answer",
      text: "The note says milk.",
    });
    expect(server.chats()[0]?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
    ]);
  });

  it.each([
    ["FINISHED: Über 5 km.", "Über 5 km."],
    ["FINISHED: **Total**: 5", "**Total**: 5"],
    ["**FINISHED:** **Total**: 5", "**Total**: 5"],
    ["**FINISHED**: - milk", "- milk"],
    ["FINISHED: -5 degrees", "-5 degrees"],
    ["FINISHED: 完成了", "完成了"],
    ["FINISHED. It is done.", "It is done."],
  ])("removes the marker of a last answer and keeps the whole answer: %s", async (say, text) => {
    const { toolCalling } = await setUp([{ say }]);
    const answer = await toolCalling.next({ ...state([read]), stepsLeft: 0 }, never());
    expect(answer).toMatchObject({ kind: "answer", text });
    expect(answer).not.toHaveProperty("outcome");
  });

  it("stops the run if the last answer is marked as unfinished", async () => {
    const { toolCalling } = await setUp([{ say: "UNFINISHED: Één van twee." }]);
    expect(await toolCalling.next({ ...state([read]), stepsLeft: 0 }, never())).toMatchObject({
      text: "Één van twee.",
      outcome: "stopped",
    });
  });
});

it("tells every model that answers on its own where the data of the person is", () => {
  for (const name of ["planner", "planner-tools", "conversation"] as const)
    expect(prompt(name), name).toMatch(
      /owner's own computer or server: files, tasks, memories and functions stay there/u,
    );
});

it("tells every model that calls tools what no tool does", () => {
  for (const name of ["planner", "planner-tools"] as const)
    expect(prompt(name), name).toMatch(/No tool draws.* posts or mails: say so/u);
});
