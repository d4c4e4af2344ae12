import { OperatorAnswer } from "@metahuman/core/contract/http";
import { describe, expect, it } from "vitest";
import { stageBeforeAll } from "../support/before-all.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";
import { purposeOf, type ModelStage } from "../support/model-stage.ts";

// A model whose replies break off, and one that makes several native calls in one reply.

let stage: ModelStage;
stageBeforeAll((opened) => (stage = opened));

const NATIVE = { runtime: { operator: { reactV2: false } } };
const QUESTION = "why is the sea salty, and tell me at some length";
const HALF =
  "Rivers wash salt out of the rocks and carry it to the sea. There the water evaporates, but the sa";
const WHOLE = "Rivers wash salt out of the rocks. The water evaporates, and the salt stays.";
const BROKEN: ChatScript = { fault: "reset-midway", half: HALF };

const plans = () => stage.models.chats().filter((request) => purposeOf(request) === "plan");
const scene = (answer: Answer | readonly ChatScript[]) => stage.set({ etc: NATIVE, answer });

describe("an answer whose connection closes in the middle", () => {
  it("is asked for once more, and the person reads the complete one only", async () => {
    await scene([BROKEN, { say: WHOLE }]);
    const { runId, ...answer } = await stage.ask(QUESTION);
    expect(answer).toMatchObject({ outcome: "answered", planner: "tool-calling", result: WHOLE });
    const { modelCalls, warnings } = await stage.run(runId);
    expect(modelCalls).toMatchObject([
      { reply: HALF, error: { code: "MODEL_UNAVAILABLE" } },
      { reply: WHOLE },
    ]);
    expect(warnings).toEqual([expect.stringContaining("ended before it was complete")]);
  });

  it("stays visible up to there when the second reply breaks off too, and can be continued", async () => {
    await scene([BROKEN, BROKEN, { say: WHOLE }]);
    const { runId, ...answer } = await stage.ask(QUESTION);
    expect(answer.outcome).toBe("failed");
    expect(plans()).toHaveLength(2);
    expect(answer.result).toMatch(/^Rivers wash salt out of the rocks and carry it to the sea\./u);
    expect(answer.result).toMatch(/ended before it was complete[\s\S]*Choose Continue/u);
    const continued = await stage.owner.post(`/api/runs/${runId}/continue`, {});
    expect(OperatorAnswer.parse(continued.body)).toMatchObject({ outcome: "answered", result: WHOLE });
  });

  it("leaves nothing behind when the second reply is a call", async () => {
    await scene([BROKEN, { call: [{ name: "task_list", args: {} }] }, { say: WHOLE }]);
    expect(await stage.ask(QUESTION)).toMatchObject({
      outcome: "answered",
      actions: ["task_list"],
      result: WHOLE,
    });
  });

  it("is not shown with a claim that nothing supports", async () => {
    const half = "I deleted the file salt.md for you. And then";
    await scene(() => ({ fault: "reset-midway", half }));
    const { outcome, result } = await stage.ask(QUESTION);
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
    await stage.set({ answer: [begun, whole] });
    expect(await stage.ask(QUESTION)).toMatchObject({ outcome: "answered", result: WHOLE });
  });

  it("stays visible up to there when the second reply breaks off too", async () => {
    await stage.set({ answer: () => begun });
    const { outcome, result } = await stage.ask(QUESTION);
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
    const answer = await stage.ask("put watering the ferns and feeding the cat onto my list, will you");
    expect(answer).toMatchObject({ outcome: "answered", actions: ["task_create", "task_create"] });
    const prompts = plans().map(({ messages }) => messages.map(({ content }) => content).join("\n"));
    expect(prompts[0]).not.toContain("not carried out");
    expect(prompts[1]).toContain("also called task_create: not carried out");
  });
});
