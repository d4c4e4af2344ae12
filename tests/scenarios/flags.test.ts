import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorPending } from "@metahuman/core/contract/http";
import { act, finish, openModelHarness, purposeOf, type ModelHarness } from "../support/model-harness.ts";
import type { Answer, ChatScript } from "../support/model-server/script.ts";

// The flags of etc/runtime.json: each combination on one server without a restart.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
  const remembered = await harness.owner.post("/api/memories", {
    type: "curated",
    content: "The camping notes belong under out/camping.",
  });
  expect(remembered.status).toBe(201);
});
afterAll(() => harness.close());

const GOAL = "get my camping notes into shape somehow";
const switches = ["reactV2", "useReasoningService", "useContextPackage", "useFunctions"] as const;
type Flags = Record<(typeof switches)[number], boolean>;

const combinations = Array.from({ length: 16 }, (_, number): Flags => {
  const [reactV2 = false, useReasoningService = false, useContextPackage = false, useFunctions = false] =
    switches.map((_name, bit) => (number & (1 << bit)) !== 0);
  return { reactV2, useReasoningService, useContextPackage, useFunctions };
});

/** Writes a file and reads it back, in whichever way it is asked; every claim of the answer is supported. */
function twoSteps(name: string): Answer {
  const calls = [
    { name: "fs_write", args: { path: `${name}.md`, content: "tent" } },
    { name: "fs_read", args: { path: `${name}.md` } },
  ];
  let step = 0;
  return (request): ChatScript => {
    switch (purposeOf(request)) {
      case "plan": {
        const call = calls[step++];
        if (request.tools.length > 0) return call ? { call: [call] } : { say: "The note says tent [2]." };
        return call ? act(call.name, call.args) : finish;
      }
      case "review":
        return { json: { claims: [{ claim: "the note says tent", support: 2 }] } };
      default:
        return { say: "The note says tent [2]." };
    }
  };
}

describe("each combination of the switches, changed while the server runs", () => {
  it.each(combinations.map((flags, number) => [JSON.stringify(flags), number, flags] as const))(
    "%s",
    async (_name, number, flags) => {
      await harness.configure("runtime", { operator: flags });
      const before = harness.models.chats().length;
      harness.models.script(twoSteps(`note-${String(number)}`));
      const answer = await harness.ask(GOAL);
      expect(answer).toMatchObject({
        outcome: "answered",
        planner: flags.reactV2 ? "structured" : "tool-calling",
        actions: ["fs_write", "fs_read"],
        result: "The note says tent [2].",
        functionsUsed: [],
      });
      const asked = harness.models.chats().slice(before);
      const purposes = asked.map(purposeOf);
      expect(purposes.filter((purpose) => purpose === "plan")).toHaveLength(3);
      expect(purposes.includes("review")).toBe(flags.useReasoningService);
      const prompts = JSON.stringify(asked.filter((request) => purposeOf(request) === "plan"));
      expect(prompts.includes("belong under out/camping")).toBe(flags.useContextPackage);
      const { context } = await harness.run(answer.runId);
      expect(context !== undefined).toBe(flags.useContextPackage);
    },
  );

  it("shows a planner without a context package the conversation, and nothing else", async () => {
    await harness.configure("runtime", { operator: { useContextPackage: false } });
    harness.models.script(twoSteps("first"));
    const first = await harness.ask(GOAL);
    harness.models.script(twoSteps("second"));
    await harness.ask("and once more, but shorter", { conversationId: first.conversationId });
    const prompt = JSON.stringify(
      harness.models.chats().findLast((one) => purposeOf(one) === "plan")?.messages,
    );
    expect(prompt).toContain("The note says tent.");
    expect(prompt).not.toContain("belong under out/camping");
  });
});

describe("the reasoning service", () => {
  /** Keeps reading for as long as it may. */
  const curious: Answer = (request) =>
    purposeOf(request) === "plan"
      ? act("task_find", { query: `milk ${String(request.messages.length)}` })
      : { json: { claims: [] } };

  it.each([
    [0, 1],
    [1, 5],
    [2, 10],
    [3, 15],
    [undefined, 10],
  ])("at depth %s makes at most %i calls and then reports the findings", async (reasoningDepth, calls) => {
    await harness.configure("runtime", { operator: { useReasoningService: true } });
    harness.models.script(curious);
    const answer = await harness.ask(GOAL, { ...(reasoningDepth !== undefined && { reasoningDepth }) });
    expect(answer).toMatchObject({ outcome: "stopped", actions: { length: calls } });
    expect(answer.result).toMatch(/not finished.*Until then:/s);
  });

  it("at depth off makes one call and then answers, because no step is left", async () => {
    await harness.configure("runtime", { operator: { useReasoningService: true } });
    harness.models.script((request) => {
      if (purposeOf(request) === "review") return { json: { claims: [] } };
      if (purposeOf(request) === "answer") return { say: "There are no tasks [1]." };
      return JSON.stringify(request.messages).includes("No step is left") ? finish : act("task_list");
    });
    expect(await harness.ask(GOAL, { reasoningDepth: 0 })).toMatchObject({
      outcome: "answered",
      actions: ["task_list"],
    });
  });

  /** Answers badly at first; after the verdict of the critic, `afterwards` decides. */
  function claiming(wrong: string, afterwards: ChatScript, better: string): Answer {
    let planned = 0;
    return (request) => {
      const rejectedAnswer = JSON.stringify(request.messages).includes(
        "contains claims that no observation supports",
      );
      switch (purposeOf(request)) {
        case "plan":
          return planned++ === 0 ? act("task_list") : rejectedAnswer && planned === 3 ? afterwards : finish;
        case "review": {
          const holds = !(request.messages.at(-1)?.content ?? "").includes(wrong);
          return { json: { claims: [{ claim: wrong, support: holds ? 1 : 0 }] } };
        }
        default:
          return { say: rejectedAnswer ? better : wrong };
      }
    };
  }

  it("returns an answer once if a claim has no support, and the planner looks it up", async () => {
    await harness.configure("runtime", { operator: { useReasoningService: true } });
    harness.models.script(
      claiming("You have nine tasks.", act("task_find", { query: "tent" }), "None fits [4]."),
    );
    const answer = await harness.ask(GOAL);
    expect(answer).toMatchObject({
      outcome: "answered",
      result: "None fits [4].",
      actions: ["task_list", "task_find"],
    });
    const rejectedAnswer = answer.scratchpad.filter(({ action }) => action === undefined);
    expect(rejectedAnswer.map(({ observation }) => observation?.content)).toEqual([
      expect.stringContaining("You have nine tasks."),
    ]);
    expect((await harness.run(answer.runId)).warnings).toEqual([]);
  });

  it("accepts the second answer, and warns the person of its unconfirmed claims", async () => {
    harness.models.script(claiming("You have nine tasks.", finish, "Still: You have nine tasks."));
    const answer = await harness.ask(GOAL);
    expect(answer).toMatchObject({
      outcome: "answered",
      result: "Still: You have nine tasks. *not confirmed*",
    });
    const { warnings, modelCalls = [] } = await harness.run(answer.runId);
    expect(warnings.join()).toContain("You have nine tasks.");
    expect(modelCalls.filter(({ purpose }) => purpose === "review")).toHaveLength(2);
  });

  it("rewrites an answer without another call when no step is left", async () => {
    harness.models.script(claiming("You have nine tasks.", act("task_list"), "There are none [1]."));
    const answer = await harness.ask(GOAL, { reasoningDepth: 0 });
    expect(answer).toMatchObject({
      outcome: "answered",
      result: "There are none [1].",
      actions: ["task_list"],
    });
  });

  it("continues after the critic's verdict when the server was killed", async () => {
    await harness.separate();
    const held = Promise.withResolvers<ChatScript>();
    const script = claiming("You have nine tasks.", act("task_find", { query: "tent" }), "None fits [4].");
    let plans = 0;
    harness.models.script((request, index) =>
      purposeOf(request) === "plan" && ++plans === 3 ? held.promise : script(request, index),
    );
    const { body } = await harness.owner.post("/api/operator", { goal: GOAL, background: true });
    const { runId } = OperatorPending.parse(body);
    await expect
      .poll(async () => (await harness.run(runId)).scratchpad.length, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(3);
    await harness.kill();
    held.resolve(finish);
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 20_000 }).toBe("interrupted");
    plans = 4;
    await harness.owner.post(`/api/runs/${runId}/resume`);
    await expect.poll(async () => (await harness.run(runId)).status, { timeout: 20_000 }).toBe("ended");
    const run = await harness.run(runId);
    expect(run).toMatchObject({ outcome: "answered", result: "None fits [4]." });
    expect(run.scratchpad.filter(({ action }) => action === undefined)).toHaveLength(1);
  });
});

describe("the roles of etc/operator.json", () => {
  it("determine who plans and who answers, from the next run on", async () => {
    await harness.configure("runtime", {});
    await harness.configure("operator", {
      models: { planningModel: "curator", responseModel: "summarizer" },
    });
    harness.models.script(twoSteps("roles"));
    const { runId } = await harness.ask(GOAL);
    const { modelCalls = [] } = await harness.run(runId);
    expect(modelCalls.map(({ purpose, role }) => `${purpose}: ${role}`)).toEqual([
      "plan: curator",
      "plan: curator",
      "plan: curator",
      "answer: summarizer",
      "review: curator",
    ]);
    await harness.configure("operator", {});
  });
});
