import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OperatorPending } from "@metahuman/core/contract/http";
import { ModelSituation } from "@metahuman/core/contract/models";
import { harnessBeforeAll } from "../support/before-all.ts";
import { readEvents } from "../support/event-reader.ts";
import { startModelServer } from "../support/model-server/server.ts";
import type { ChatScript } from "../support/model-server/script.ts";
import { act, chatModel, finish, PLANS, play, type ModelHarness } from "../support/model-harness.ts";

// Open-ended requests, planned and worded by a model server that speaks the real protocols.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const SPEAKS = "speaks:4b";

const threeSteps = (path: string) => [
  act("fs_write", { path, content: "pack the tent" }),
  act("fs_append", { path, text: "\ncharge the lamp" }),
  act("fs_read", { path }),
  finish,
];
const TRIP = "get my camping notes into shape somehow";

describe("a request that needs a model", () => {
  it("is planned in three steps, executed, and answered in the model's words", async () => {
    await harness.set({ answer: play(threeSteps("trip.md"), "Your notes are in out/trip.md [1].") });
    const answer = await harness.ask(TRIP);
    expect(answer).toMatchObject({
      outcome: "answered",
      planner: "structured",
      result: "Your notes are in out/trip.md [1].",
      actions: ["fs_write", "fs_append", "fs_read"],
    });
    expect(answer.usage).toMatchObject({ planningCalls: 4, modelCalls: 6 });
    expect(await readFile(join(harness.profile, "out/trip.md"), "utf8")).toBe(
      "pack the tent\ncharge the lamp",
    );
  });

  it("is answered with citations of its own steps, and of no others", async () => {
    await harness.set({
      answer: play([act("task_list", {}), finish], "You have no tasks [1], as ever [7]."),
    });
    const { runId, result } = await harness.ask(TRIP);
    expect(result).toBe("You have no tasks [1], as ever.");
    expect((await harness.run(runId)).warnings).toEqual([expect.stringContaining("never made")]);
  });

  it("is answered by code if only the data is requested, and briefly if a short answer is requested", async () => {
    const styled = (responseStyle: string): ChatScript => ({
      json: { thought: "The list is there.", respond: true, responseStyle },
    });
    const title = "air the sleeping bags";
    await harness.set({
      answer: play([act("task_create", { title }), act("task_list", {}), styled("strict")]),
    });
    const strict = await harness.ask(TRIP);
    expect(strict.result).toContain(`| ${title} |`);
    expect(strict.usage).toMatchObject({ planningCalls: 3, modelCalls: 3 });
    await harness.set({ answer: play([act("task_list", {}), styled("summary")], "One thing is to do [1].") });
    expect((await harness.ask(TRIP)).result).toBe("One thing is to do [1].");
    expect(harness.models.chats().at(-1)?.messages.at(-1)?.content).toContain("Two or three sentences.");
  });

  it("is planned with the model's own tool calls when reactV2 is off", async () => {
    let step = 0;
    const calls: ChatScript[] = [
      { call: [{ name: "fs_write", args: { path: "tools.md", content: "tent" } }] },
      { call: [{ name: "fs_read", args: { path: "tools.md" } }] },
    ];
    await harness.set({
      etc: { runtime: { operator: { reactV2: false } } },
      answer: ({ tools }) =>
        tools.length > 0 ? (calls[step++] ?? { say: "Done." }) : { say: "The note says tent [2]." },
    });
    expect(await harness.ask(TRIP)).toMatchObject({
      planner: "tool-calling",
      outcome: "answered",
      actions: ["fs_write", "fs_read"],
    });
    expect(harness.models.chats()[0]?.tools).toContain("fs_write");
  });

  it("is planned by one model and worded by another", async () => {
    await harness.set({
      models: [chatModel(PLANS), chatModel(SPEAKS)],
      roles: { planner: [`ollama/${PLANS}`], persona: [`ollama/${SPEAKS}`] },
      answer: play([act("task_create", { title: "pack" }), finish]),
    });
    await harness.ask(TRIP);
    expect(harness.models.chats().map(({ model }) => model)).toEqual([PLANS, PLANS, SPEAKS]);
  });

  it("works in the same way with an OpenAI-compatible server", async () => {
    const lab = await startModelServer({
      models: [chatModel("lab-model")],
      answer: play(threeSteps("lab.md")),
    });
    await harness.set({
      etc: {
        models: {
          providers: {
            ollama: { kind: "ollama", enabled: false },
            lab: { kind: "openai-compatible", baseUrl: lab.openAiUrl },
          },
        },
      },
    });
    expect(await harness.ask(TRIP)).toMatchObject({ outcome: "answered", planner: "structured" });
    expect(lab.chats().every(({ protocol }) => protocol === "openai")).toBe(true);
    await lab.close();
  });
});

describe("a request that needs no model", () => {
  it("is not sent to one: a single read is answered by its own output", async () => {
    await harness.set({ answer: play([]) });
    expect(await harness.ask("list my tasks")).toMatchObject({
      verbatim: true,
      planner: "built-in",
      usage: { modelCalls: 0 },
    });
    expect(await harness.ask("don't delete anything")).toMatchObject({ usage: { modelCalls: 0 } });
    expect(harness.models.chats()).toEqual([]);
  });

  it("does not include a write that sounds like a read", async () => {
    await harness.set({
      answer: play([act("task_create", { title: "get milk" }), finish]),
    });
    expect(await harness.ask("create a task to get milk")).toMatchObject({ actions: ["task_create"] });
    expect(harness.models.chats().length).toBeGreaterThan(0);
  });
});

describe("small talk", () => {
  it("is answered by the persona's model, piece by piece, without skills", async () => {
    await harness.set({
      answer: () => ({ say: "Hello! What shall we do today?", pieces: 6 }),
    });
    const seen: string[] = [];
    const response = await harness.owner.raw(
      "POST",
      "/api/operator",
      { goal: "hello" },
      { accept: "text/event-stream" },
    );
    for await (const { event } of readEvents(response)) seen.push(event);
    expect(seen).toContain("answer-delta");
    expect(seen.at(-1)).toBe("run-ended");
    expect(harness.models.chats()[0]?.tools).toEqual([]);
  });
});

describe("a model server that misbehaves", () => {
  it("is skipped if it is unavailable at the start, and used as soon as it is available", async () => {
    await harness.set({ answer: play([act("task_create", { title: "x" }), finish]) });
    await harness.models.stop();
    expect(await harness.situation()).toMatchObject({ available: false });
    expect(await harness.ask("make sandwich file")).toMatchObject({
      planner: "built-in",
      outcome: "answered",
    });
    await harness.models.start();
    await expect
      .poll(async () => ModelSituation.parse((await harness.owner.get("/api/models")).body).available, {
        timeout: 30_000,
        interval: 250,
      })
      .toBe(true);
    expect(await harness.ask(TRIP)).toMatchObject({ planner: "structured" });
  });

  it("dies during a run: the next model of the list continues, and the person is told", async () => {
    const lab = await startModelServer({ models: [chatModel("spare:4b")], answer: play([finish]) });
    let chats = 0;
    await harness.set({
      answer: () => {
        chats += 1;
        return chats === 1 ? act("task_create", { title: "pack the stove" }) : { fault: "reset" };
      },
      etc: {
        models: {
          providers: {
            ollama: { kind: "ollama", baseUrl: harness.models.url },
            lab: { kind: "openai-compatible", baseUrl: lab.openAiUrl },
          },
          roles: {
            planner: [`ollama/${PLANS}`, "lab/spare:4b"],
            persona: [`ollama/${PLANS}`, "lab/spare:4b"],
          },
        },
      },
    });
    const { runId, ...answer } = await harness.ask(TRIP);
    expect(answer).toMatchObject({ outcome: "answered", planner: "structured", actions: ["task_create"] });
    expect(lab.chats().length).toBeGreaterThan(0);
    const { body } = await harness.owner.get(`/api/runs/${runId}`);
    expect(body).toMatchObject({
      warnings: [
        expect.stringContaining("asked once more"),
        expect.stringContaining("Went on with lab/spare:4b"),
      ],
    });
    await lab.close();
  });

  it("returns an error once during a run: it is asked once more, and the person is told", async () => {
    const plan = play([act("task_create", { title: "pack the rope" }), finish]);
    let chats = 0;
    await harness.set({
      answer: (request, index) => ((chats += 1) === 2 ? { fault: "server-error" } : plan(request, index)),
    });
    const { runId, ...answer } = await harness.ask(TRIP);
    expect(answer).toMatchObject({ outcome: "answered", actions: ["task_create"] });
    expect(await harness.run(runId)).toMatchObject({
      warnings: [expect.stringContaining("asked once more")],
    });
  });

  it("dies during a run without another model: completed steps stay, and the person is told", async () => {
    let chats = 0;
    await harness.set({
      answer: () => {
        chats += 1;
        return chats === 1 ? act("task_create", { title: "pack the tent" }) : { fault: "reset" };
      },
    });
    const { runId, ...answer } = await harness.ask(TRIP);
    expect(answer.actions).toEqual(["task_create"]);
    expect(answer.result).toContain("pack the tent");
    expect(answer.outcome).toBe("failed");
    expect(await harness.run(runId)).toMatchObject({ error: { code: "MODEL_UNAVAILABLE" } });
  });

  it("dies during the answer: code writes it from the findings", async () => {
    const plan = play([act("task_create", { title: "pack the map" }), finish]);
    await harness.set({
      answer: async (request, index) => {
        const reply = await plan(request, index);
        return "say" in reply ? { fault: "reset-midway" } : reply;
      },
    });
    const answer = await harness.ask(TRIP);
    expect(answer).toMatchObject({ outcome: "answered" });
    expect(answer.result).toContain("pack the map");
    expect(answer.result).not.toContain("Half of");
  });

  it("is aborted at once when the person presses Stop", async () => {
    await harness.set({ answer: () => ({ fault: "silent" }) });
    const { body } = await harness.owner.post("/api/operator", { goal: TRIP, background: true });
    const { runId } = OperatorPending.parse(body);
    await expect.poll(() => harness.models.chats().length, { timeout: 30_000 }).toBe(1);
    await harness.owner.post(`/api/runs/${runId}/cancel`);
    // Far below the time limits of a silent model, and enough for a busy machine.
    await expect
      .poll(async () => (await harness.owner.get(`/api/runs/${runId}`)).body, { timeout: 10_000 })
      .toMatchObject({ outcome: "cancelled" });
    await expect.poll(() => harness.models.chats()[0]?.aborted).toBe(true);
  });

  it("writes broken JSON twice in a row: the run fails with a plain sentence and keeps the observations", async () => {
    await harness.set({
      answer: play([act("task_create", { title: "pack" }), { say: '{"thought": ' }, { say: "{]" }]),
    });
    const answer = await harness.ask(TRIP);
    expect(answer).toMatchObject({ outcome: "failed", actions: ["task_create"] });
    expect(answer.result).toContain("could not be read");
    expect(answer.scratchpad[0]?.observation?.success).toBe(true);
  });

  it("writes no JSON once: it receives the problem and continues", async () => {
    await harness.set({ answer: play([{ say: "Well, let me think." }, act("task_list", {}), finish]) });
    expect(await harness.ask(TRIP)).toMatchObject({ outcome: "answered", actions: ["task_list"] });
    expect(harness.models.chats()[1]?.messages.at(-1)?.content).toContain("no complete JSON object");
  });

  it("names a skill that does not exist: it receives similar ones and continues", async () => {
    await harness.set({
      answer: play([act("fs_raed", { path: "x.md" }), act("task_create", { title: "pack" }), finish]),
    });
    expect(await harness.ask(TRIP)).toMatchObject({ outcome: "answered", actions: ["task_create"] });
    expect(harness.models.chats()[1]?.messages.at(-1)?.content).toMatch(/SKILL_NOT_FOUND[\s\S]*fs_read/);
  });

  it("sends invalid arguments: it receives every problem and the valid values", async () => {
    await harness.set({ answer: play([act("task_create", { titel: "pack" }), finish]) });
    await harness.ask(TRIP);
    expect(harness.models.chats()[1]?.messages.at(-1)?.content).toMatch(/INVALID_ARGS[\s\S]*title/);
  });
});

describe("a model with a short context", () => {
  it("is never sent more than fits, however long the run is", async () => {
    const plan = Array.from({ length: 8 }, (_, index) =>
      act("fs_write", { path: `long-${String(index)}.md`, content: `line ${String(index)}\n`.repeat(300) }),
    );
    await harness.set({
      models: [chatModel("short:4b", 4_096)],
      answer: play([...plan, finish]),
    });
    expect((await harness.ask(TRIP)).actions).toHaveLength(8);
    const longest = Math.max(
      ...harness.models
        .chats()
        .map(({ messages }) => messages.reduce((sum, { content }) => sum + content.length, 0)),
    );
    expect(longest / 3.5).toBeLessThan(4_096);
    expect(harness.models.chats()[0]?.body).toMatchObject({ options: { num_ctx: 4_096 } });
  });
});
