import { OperatorAnswer, OperatorPending } from "@metahuman/core/contract/http";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import { readEvents } from "../support/event-reader.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";
import { purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A model whose replies break off, and one that makes several native calls in one reply.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const OfRun = z.object({ runId: z.string() });
const NATIVE = { runtime: { operator: { reactV2: false } } };
const QUESTION = "why is the sea salty, and tell me at some length";
const HALF =
  "Rivers wash salt out of the rocks and carry it to the sea. There the water evaporates, but the sa";
const WHOLE = "Rivers wash salt out of the rocks. The water evaporates, and the salt stays.";
const BROKEN: ChatScript = { fault: "reset-midway", half: HALF };

const plans = () => harness.models.chats().filter((request) => purposeOf(request) === "plan");
const scene = (answer: Answer | readonly ChatScript[]) => harness.set({ etc: NATIVE, answer });

describe("an answer whose connection closes in the middle", () => {
  it("is asked for once more, and the person reads the complete one only", async () => {
    await scene([BROKEN, { say: WHOLE }]);
    const { runId, ...answer } = await harness.ask(QUESTION);
    expect(answer).toMatchObject({ outcome: "answered", planner: "tool-calling", result: WHOLE });
    const { modelCalls, warnings } = await harness.run(runId);
    expect(modelCalls).toMatchObject([
      { reply: HALF, error: { code: "MODEL_UNAVAILABLE" } },
      { reply: WHOLE },
    ]);
    expect(warnings).toEqual([expect.stringContaining("ended before it was complete")]);
  });

  it("stays visible up to there when the second reply breaks off too, and can be continued", async () => {
    await scene([BROKEN, BROKEN, { say: WHOLE }]);
    const { runId, ...answer } = await harness.ask(QUESTION);
    expect(answer.outcome).toBe("failed");
    expect(plans()).toHaveLength(2);
    expect(answer.result).toMatch(/^Rivers wash salt out of the rocks and carry it to the sea\./u);
    expect(answer.result).toMatch(/ended before it was complete[\s\S]*Choose Continue/u);
    const continued = await harness.owner.post(`/api/runs/${runId}/continue`, {});
    expect(OperatorAnswer.parse(continued.body)).toMatchObject({ outcome: "answered", result: WHOLE });
  });

  it("leaves nothing behind when the second reply is a call", async () => {
    await scene([BROKEN, { call: [{ name: "task_list", args: {} }] }, { say: WHOLE }]);
    expect(await harness.ask(QUESTION)).toMatchObject({
      outcome: "answered",
      actions: ["task_list"],
      result: WHOLE,
    });
  });

  it("is not shown with a claim that nothing supports", async () => {
    const half = "I deleted the file salt.md for you. And then";
    await scene(() => ({ fault: "reset-midway", half }));
    const { outcome, result } = await harness.ask(QUESTION);
    expect(outcome).toBe("failed");
    expect(result).not.toContain("deleted");
  });
});

describe("an answer within a JSON plan whose connection closes in the middle", () => {
  const begun: ChatScript = {
    fault: "reset-midway",
    half: `{"thought": "Known.", "respond": true, "answer": "${HALF}`,
  };

  it("is asked for once more", async () => {
    const whole: ChatScript = { json: { thought: "Known.", respond: true, answer: WHOLE } };
    await harness.set({ answer: [begun, whole] });
    expect(await harness.ask(QUESTION)).toMatchObject({ outcome: "answered", result: WHOLE });
  });

  it("stays visible up to there when the second reply breaks off too", async () => {
    await harness.set({ answer: () => begun });
    const { outcome, result } = await harness.ask(QUESTION);
    expect(outcome).toBe("failed");
    expect(result).toMatch(/^Rivers wash salt[\s\S]*ended before it was complete[\s\S]*Choose Continue/u);
  });
});

describe("a reply with two calls that change something", () => {
  const create = (title: string) => ({ name: "task_create", args: { title } });

  it("carries out the first, and the next prompt says that the second was not", async () => {
    await scene([
      { call: [create("water the ferns"), create("feed the cat")] },
      { call: [create("feed the cat")] },
      { say: "Both tasks are there [1][2]." },
    ]);
    const answer = await harness.ask("put watering the ferns and feeding the cat onto my list, will you");
    expect(answer).toMatchObject({ outcome: "answered", actions: ["task_create", "task_create"] });
    const prompts = plans().map(({ messages }) => messages.map(({ content }) => content).join("\n"));
    expect(prompts[0]).not.toContain("not carried out");
    expect(prompts[1]).toContain("also called task_create: not carried out");
  });
});

describe("a reply with several reads, of which one waits for a person", () => {
  it("carries out those before it, and the next prompt names those after it", async () => {
    const read = (name: string, args = {}) => ({ name, args });
    await harness.set({
      etc: { ...NATIVE, operator: { performance: { parallelSkillExecution: true } } },
      answer: [
        { call: [read("task_list"), read("fs_list"), read("memory_search", { query: "ferns" })] },
        { say: "You have no task [1]." },
      ],
    });
    await harness.owner.send("PUT", "/api/trust", { skillOverrides: { fs_list: "ask" } });
    const goal = "compare my list, my folder and what you know of the ferns";
    const { runId, pending } = OperatorPending.parse(
      (await harness.owner.post("/api/operator", { goal })).body,
    );
    if (pending?.kind !== "approval") throw new Error("The run does not wait for an approval.");
    await harness.owner.post(`/api/approvals/${pending.approvalId}`, { decision: "once" });
    await harness.owner.send("PUT", "/api/trust", { skillOverrides: { fs_list: null } });
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 20_000 }).toBe("ended");
    const { scratchpad } = await harness.run(runId);
    expect(scratchpad.flatMap(({ action }) => action?.tool ?? [])).toEqual(["task_list", "fs_list"]);
    const [, next] = plans().map(({ messages }) => messages.map(({ content }) => content).join("\n"));
    expect(next).toContain("also called memory_search: not carried out");
  });
});

describe("an answer that the person stops while it is written", () => {
  it("stays in the conversation as far as it was shown, and is not remembered", async () => {
    const { promise: gate, resolve: release } = Promise.withResolvers<void>();
    const story =
      "A fisher rowed to the lighthouse every morning. One day the light was out, and he rowed on.";
    await scene([{ say: story, pieces: 2, gate }, { say: "It was about a fisher." }]);
    const stream = { accept: "text/event-stream" };
    const response = await harness.owner.raw("POST", "/api/operator", { goal: "tell me a story" }, stream);
    let runId = "";
    for await (const { event, data } of readEvents(response)) {
      if (event === "answer-delta") {
        ({ runId } = OfRun.parse(data));
        break;
      }
    }
    await harness.owner.post(`/api/runs/${runId}/cancel`);
    release();
    const { outcome, result, conversationId } = await harness.run(runId);
    expect(outcome).toBe("cancelled");
    expect(result).not.toBe("");
    expect(story.startsWith(result ?? "nothing")).toBe(true);
    await harness.ask("and what was it about", { conversationId });
    const [next] = plans().slice(-1);
    expect(next?.messages.map(({ content }) => content).join("\n")).toContain(result);
    const kept = JSON.stringify((await harness.owner.get("/api/memories?limit=50")).body);
    expect(kept).not.toContain("A fisher rowed");
  });
});
