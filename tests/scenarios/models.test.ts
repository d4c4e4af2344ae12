import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { ModelSituation } from "@metahuman/core/contract/models";
import type { Client } from "../support/client.ts";
import { readEvents } from "../support/event-reader.ts";
import { startModelServer, type ModelServer } from "../support/model-server/server.ts";
import type { Answer, ChatScript, ModelSpec } from "../support/model-server/script.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

// Open-ended requests, planned and worded by a model server that speaks the real protocols.

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

const PLANS = "plans:4b";
const SPEAKS = "speaks:4b";
const chatting = (name: string, more: Partial<ModelSpec> = {}): ModelSpec => ({
  name,
  abilities: ["completion", "tools"],
  contextTokens: 8_192,
  ...more,
});

interface Stage {
  models: ModelServer;
  server: TestServer;
  owner: Client;
  home: string;
  ask(goal: string): Promise<OperatorAnswer>;
}

async function stage(
  options: {
    etc?: Record<string, unknown>;
    roles?: Record<string, string[]>;
    specs?: ModelSpec[];
    answer?: Answer | readonly ChatScript[];
  } = {},
): Promise<Stage> {
  const models = await startModelServer({
    models: options.specs ?? [chatting(PLANS)],
    ...(options.answer && { answer: options.answer }),
  });
  ending.push(() => models.close());
  const home = await mkdtemp(join(tmpdir(), "metahuman-models-"));
  ending.push(() => rm(home, { recursive: true, force: true }));
  await mkdir(join(home, "etc"));
  const providers = { ollama: { kind: "ollama", baseUrl: models.url } };
  const etc = { models: { providers, roles: options.roles ?? {} }, ...options.etc };
  for (const [name, content] of Object.entries(etc))
    await writeFile(join(home, "etc", `${name}.json`), JSON.stringify(content));
  const server = await startTestServer({ home });
  ending.push(() => server.dispose());
  const owner = await server.owner();
  return {
    models,
    server,
    owner,
    home: join(home, "profiles", "ada"),
    ask: async (goal) => OperatorAnswer.parse((await owner.post("/api/operator", { goal })).body),
  };
}

const act = (tool: string, args: Record<string, unknown>): ChatScript => ({
  json: { thought: `Use ${tool}.`, action: { tool, args } },
});
const finish: ChatScript = { json: { thought: "The observations show it.", respond: true } };
const isPlanning = (messages: { content: string }[]) =>
  messages[0]?.content.startsWith("You plan for") ?? false;

/** Plans in the given order; words every answer with the given sentence. */
function play(plan: readonly ChatScript[], words = "It is done [1]."): Answer {
  let step = 0;
  return ({ messages }) => (isPlanning(messages) ? (plan[step++] ?? finish) : { say: words });
}

const threeSteps = [
  act("fs_write", { path: "trip.md", content: "pack the tent" }),
  act("fs_append", { path: "trip.md", text: "\ncharge the lamp" }),
  act("fs_read", { path: "trip.md" }),
  finish,
];
const TRIP = "get my camping notes into shape somehow";

describe("a request that needs a model", () => {
  it("is planned in three steps, carried out, and answered in the model's words", async () => {
    const { ask, home } = await stage({ answer: play(threeSteps, "Your notes are in out/trip.md [1].") });
    const answer = await ask(TRIP);
    expect(answer).toMatchObject({
      outcome: "answered",
      planner: "structured",
      result: "Your notes are in out/trip.md [1].",
      actions: ["fs_write", "fs_append", "fs_read"],
    });
    expect(answer.usage).toMatchObject({ planningCalls: 4, modelCalls: 5 });
    expect(await readFile(join(home, "out/trip.md"), "utf8")).toBe("pack the tent\ncharge the lamp");
  });

  it("is planned with the model's own tool calls when reactV2 is off", async () => {
    let step = 0;
    const calls: ChatScript[] = [
      { call: [{ name: "fs_write", args: { path: "trip.md", content: "tent" } }] },
      { call: [{ name: "fs_read", args: { path: "trip.md" } }] },
    ];
    const { ask, models } = await stage({
      etc: { runtime: { operator: { reactV2: false } } },
      answer: ({ tools }) =>
        tools.length > 0 ? (calls[step++] ?? { say: "Done." }) : { say: "The note says tent [2]." },
    });
    expect(await ask(TRIP)).toMatchObject({
      planner: "tool-calling",
      outcome: "answered",
      actions: ["fs_write", "fs_read"],
    });
    expect(models.chats()[0]?.tools).toContain("fs_write");
  });

  it("is planned by one model and worded by another", async () => {
    const { ask, models } = await stage({
      specs: [chatting(PLANS), chatting(SPEAKS)],
      roles: { planner: [`ollama/${PLANS}`], persona: [`ollama/${SPEAKS}`] },
      answer: play([act("task_create", { title: "pack" }), finish]),
    });
    await ask(TRIP);
    expect(models.chats().map(({ model }) => model)).toEqual([PLANS, PLANS, SPEAKS]);
  });

  it("reaches an OpenAI-compatible server in the same way", async () => {
    const lab = await startModelServer({ models: [chatting("lab-model")], answer: play(threeSteps) });
    ending.push(() => lab.close());
    const { ask } = await stage({
      etc: {
        models: {
          providers: {
            ollama: { kind: "ollama", enabled: false },
            lab: { kind: "openai-compatible", baseUrl: lab.openAiUrl },
          },
        },
      },
    });
    expect(await ask(TRIP)).toMatchObject({ outcome: "answered", planner: "structured" });
    expect(lab.chats().every(({ protocol }) => protocol === "openai")).toBe(true);
  });
});

describe("what needs no model", () => {
  it("is not asked of one: a pure read is answered by its own output", async () => {
    const { ask, models } = await stage({ answer: play([]) });
    expect(await ask("list my tasks")).toMatchObject({
      verbatim: true,
      planner: "built-in",
      usage: { modelCalls: 0 },
    });
    expect(await ask("don't delete anything")).toMatchObject({ usage: { modelCalls: 0 } });
    expect(models.chats()).toEqual([]);
  });

  it("does not include a write that sounds like a read", async () => {
    const { ask, models } = await stage({
      answer: play([act("task_create", { title: "get milk" }), finish]),
    });
    expect(await ask("create a task to get milk")).toMatchObject({ actions: ["task_create"] });
    expect(models.chats().length).toBeGreaterThan(0);
  });
});

describe("small talk", () => {
  it("is answered by the persona's model, piece by piece, without skills", async () => {
    const { owner, models } = await stage({
      answer: () => ({ say: "Hello! What shall we do today?", pieces: 6 }),
    });
    const seen: string[] = [];
    const response = await owner.raw(
      "POST",
      "/api/operator",
      { goal: "hello" },
      { accept: "text/event-stream" },
    );
    for await (const { event } of readEvents(response)) seen.push(event);
    expect(seen).toContain("answer-delta");
    expect(seen.at(-1)).toBe("run-ended");
    expect(models.chats()[0]?.tools).toEqual([]);
  });
});

describe("a model server that misbehaves", () => {
  it("is done without when it is not there at the start, and used as soon as it is", async () => {
    const { ask, models, owner } = await stage({
      answer: play([act("task_create", { title: "x" }), finish]),
    });
    await models.stop();
    expect(await ask("make sandwich file")).toMatchObject({ planner: "built-in", outcome: "answered" });
    await models.start();
    await expect
      .poll(async () => ModelSituation.parse((await owner.get("/api/models")).body).available, {
        timeout: 15_000,
        interval: 500,
      })
      .toBe(true);
    expect(await ask(TRIP)).toMatchObject({ planner: "structured" });
  });

  it("dies in the middle of a run: what was done stays, the person is told, the run goes on without it", async () => {
    let chats = 0;
    const { ask } = await stage({
      answer: () => {
        chats += 1;
        return chats === 1 ? act("task_create", { title: "pack the tent" }) : { fault: "reset" };
      },
    });
    const answer = await ask(TRIP);
    expect(answer.actions).toEqual(["task_create"]);
    expect(answer.result).toContain("pack the tent");
    expect(answer.outcome).toBe("stuck");
  });

  it("is let go of within a second when the person presses Stop", async () => {
    const { owner, models } = await stage({ answer: () => ({ fault: "silent" }) });
    const { body } = await owner.post("/api/operator", { goal: TRIP, background: true });
    const runId = /run-\w+/.exec(JSON.stringify(body))?.[0] ?? "";
    await expect.poll(() => models.chats().length).toBe(1);
    await owner.post(`/api/runs/${runId}/cancel`);
    await expect
      .poll(async () => (await owner.get(`/api/runs/${runId}`)).body, { timeout: 1_000 })
      .toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => models.chats()[0]?.aborted).toBe(true);
  });

  it("writes no JSON twice in a row: the run fails with a plain sentence and keeps what was observed", async () => {
    const { ask } = await stage({
      answer: play([act("task_create", { title: "pack" }), { say: "hm" }, { say: "hm, again" }]),
    });
    const answer = await ask(TRIP);
    expect(answer).toMatchObject({ outcome: "failed", actions: ["task_create"] });
    expect(answer.result).toContain("could not be read");
    expect(answer.scratchpad[0]?.observation?.success).toBe(true);
  });

  it("names a skill that does not exist: it is told the nearest ones and goes on", async () => {
    const { ask, models } = await stage({
      answer: play([act("fs_raed", { path: "x.md" }), act("task_create", { title: "pack" }), finish]),
    });
    expect(await ask(TRIP)).toMatchObject({ outcome: "answered", actions: ["task_create"] });
    expect(models.chats()[1]?.messages.at(-1)?.content).toMatch(/SKILL_NOT_FOUND[\s\S]*fs_read/);
  });

  it("gives bad arguments: it is told every problem and what would be valid", async () => {
    const { ask, models } = await stage({ answer: play([act("task_create", { titel: "pack" }), finish]) });
    await ask(TRIP);
    expect(models.chats()[1]?.messages.at(-1)?.content).toMatch(/INVALID_ARGS[\s\S]*title/);
  });
});

describe("a model with a short context", () => {
  it("is never sent more than fits, however long the run", async () => {
    const plan = Array.from({ length: 8 }, (_, index) =>
      act("fs_write", { path: `long-${String(index)}.md`, content: `line ${String(index)}\n`.repeat(300) }),
    );
    const { ask, models } = await stage({
      specs: [chatting(PLANS, { contextTokens: 4_096 })],
      answer: play([...plan, finish]),
    });
    await ask(TRIP);
    const longest = Math.max(
      ...models.chats().map(({ messages }) => messages.reduce((sum, { content }) => sum + content.length, 0)),
    );
    expect(longest / 3.5).toBeLessThan(4_096);
    expect(models.chats()[0]?.body).toMatchObject({ options: { num_ctx: 4_096 } });
  });
});
