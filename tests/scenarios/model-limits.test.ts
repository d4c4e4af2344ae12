import { estimateTokens } from "@metahuman/core/contract/tokens";
import { describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import type { ModelSpec } from "../support/model-server/script.ts";
import { act, finish, play, type ModelHarness } from "../support/model-harness.ts";

// The page and the run say what a chosen model cannot do.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const model = (name: string, more: Partial<ModelSpec> = {}): ModelSpec => ({
  name,
  abilities: ["completion", "tools"],
  contextTokens: 16_384,
  ...more,
});
const LISTS = [act("task_list"), finish];
const GOAL = "see somehow whether anything is left for me";
const withToolCalls = { runtime: { operator: { reactV2: false } } };
const warningsOf = async (role: string): Promise<string> =>
  ((await harness.situation()).roles.find((state) => state.role === role)?.warnings ?? []).join("\n");

describe("a model that can do what its roles need", () => {
  it("has no warnings", async () => {
    await harness.set({ models: [model("able:8b")] });
    expect((await harness.situation()).roles.flatMap(({ warnings = [] }) => warnings)).toEqual([]);
  });
});

describe("a model without tool support", () => {
  const speaker = model("speaker:8b", { abilities: ["completion"] });

  it("plans with structured steps although tool calls are enabled, and the person is notified", async () => {
    await harness.set({ models: [speaker], etc: withToolCalls, answer: play(LISTS) });
    const { planner, outcome, runId } = await harness.ask(GOAL);
    expect([planner, outcome]).toEqual(["structured", "answered"]);
    expect((await harness.run(runId)).warnings).toEqual([
      expect.stringContaining("ollama/speaker:8b does not support tool calls"),
    ]);
    expect(harness.models.chats().flatMap(({ tools }) => tools)).toEqual([]);
  });

  it("is named in the state of its role, with what to do about it", async () => {
    await harness.set({ models: [speaker], etc: withToolCalls });
    expect(await warningsOf("planner")).toMatch(/does not support tool calls.*structured steps/su);
    expect(await warningsOf("persona")).toBe("");
  });

  it("lacks nothing if plans are structured steps", async () => {
    await harness.set({ models: [speaker] });
    expect(await warningsOf("planner")).toBe("");
  });
});

describe("a model with a small context", () => {
  const small = model("small:1b", { contextTokens: 2_048 });

  it("is named with its context length and the length that its role needs", async () => {
    await harness.set({ models: [small] });
    expect(await warningsOf("planner")).toMatch(/small:1b has a context of 2,048 tokens.*8,192/su);
  });

  it("is not reported if the configuration reserves too little", async () => {
    const providers = { ollama: { kind: "ollama", baseUrl: harness.models.url } };
    await harness.set({
      models: [model("able:8b")],
      etc: { models: { providers, maxContextTokens: 2_048 } },
    });
    expect(await warningsOf("planner")).toMatch(/maxContextTokens.*2,048.*8,192/su);
  });

  it("gets a prompt that fits, and plans", async () => {
    await harness.set({ models: [small], answer: play(LISTS) });
    expect((await harness.ask(GOAL)).outcome).toBe("answered");
    const [first] = harness.models.chats();
    const tokens = (first?.messages ?? []).reduce((sum, { content }) => sum + estimateTokens(content), 0);
    expect(tokens).toBeLessThanOrEqual(2_048 - 256);
  });
});

describe("an embedding model that was chosen to plan", () => {
  const choice = {
    models: [model("vectors:latest", { abilities: ["embedding"] })],
    roles: { planner: ["ollama/vectors:latest"] },
  };

  it("is never called, and its role states the reason", async () => {
    await harness.set(choice);
    const { available, roles } = await harness.situation();
    expect(available).toBe(false);
    expect(roles.find(({ role }) => role === "planner")?.missing).toContain("it only embeds");
    await harness.ask("create a task to buy milk");
    expect(harness.models.chats()).toEqual([]);
  });

  it("is replaced by the next chosen model", async () => {
    await harness.set({
      models: [...choice.models, model("able:8b")],
      roles: { planner: ["ollama/vectors:latest", "ollama/able:8b"] },
    });
    const planner = (await harness.situation()).roles.find(({ role }) => role === "planner");
    expect(planner?.models).toEqual(["ollama/able:8b"]);
  });
});

describe("the commands", () => {
  it.each(["doctor", "models list", "models roles"])(
    "mh %s names the missing abilities of a model",
    async (words) => {
      await harness.set({ models: [model("small:1b", { contextTokens: 2_048 })] });
      expect((await mh(harness.home, words.split(" "))).out).toContain(
        "small:1b has a context of 2,048 tokens",
      );
    },
  );
});
