import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { FunctionMemory } from "@metahuman/core/contract/function";
import { KITCHEN } from "../support/function-samples.ts";
import type { Answer, ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";

// The benefit of functions for a planning model: fewer calls, the right place, and drafts of its own calls.

const One = z.object({ function: FunctionMemory });
let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

const act = (tool: string, args: Record<string, unknown>, functionId?: string): ChatScript => ({
  json: { thought: `Use ${tool}.`, action: { tool, args }, ...(functionId !== undefined && { functionId }) },
});
const finish: ChatScript = { json: { thought: "The observations show it.", respond: true } };
const plans = ({ messages }: SeenRequest): boolean =>
  messages[0]?.content.startsWith("You plan for") ?? false;
const promptOf = ({ messages }: SeenRequest): string => messages.map(({ content }) => content).join("\n");
const load = async (id: string): Promise<FunctionMemory> =>
  One.parse((await harness.owner.get(`/api/functions/${id}`)).body).function;

async function createPromotedRecipe(content: Record<string, unknown>): Promise<string> {
  const { id } = One.parse((await harness.owner.post("/api/functions", content)).body).function;
  const promoted = await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
  expect(promoted.status).toBe(200);
  return id;
}

/** A model that reads its prompt: it explores first unless a guide names the place. */
const reader: Answer = (request) => {
  if (!plans(request)) return { say: "It is there [1]." };
  const done = request.messages.filter(({ role }) => role === "assistant").length;
  const prompt = promptOf(request);
  const id = /\[(func-[\w-]+)\]/.exec(prompt)?.[1];
  if (prompt.includes("Make the file in out/kitchen/"))
    return done === 0 ? act("fs_write", { path: "out/kitchen/pizza.md", content: "" }, id) : finish;
  const wandering = [
    act("fs_list", { path: "out" }),
    act("memory_search", { query: "where do files go" }),
    act("fs_write", { path: "pizza.md", content: "" }),
  ];
  return wandering[done] ?? finish;
};

describe("a guide in the prompt of a model", () => {
  it("reduces the planning calls of a repeated task by more than a third, and the file is in its place", async () => {
    await harness.set({ answer: reader });
    const before = await harness.ask("could a pizza file be made somehow");
    expect(before.actions).toEqual(["fs_list", "memory_search", "fs_write"]);

    const id = await createPromotedRecipe(KITCHEN);
    const after = await harness.ask("make a pizza file for the kitchen");
    expect(after).toMatchObject({ outcome: "answered", planner: "structured", actions: ["fs_write"] });
    expect(after.functionsUsed).toContainEqual({ id, title: KITCHEN.title, followed: true });
    expect(after.scratchpad[0]?.functionId).toBe(id);
    expect(await readFile(join(harness.profile, "out/kitchen/pizza.md"), "utf8")).toBe("");
    expect([before.usage.planningCalls, after.usage.planningCalls]).toEqual([4, 2]);
    expect((await load(id)).stats).toMatchObject({ executions: 1, successes: 1 });
  });

  it("is not learned again from a run that follows it in other words, or with fewer steps", async () => {
    const id = await createPromotedRecipe({
      ...KITCHEN,
      title: "Set up a client",
      summary: "Writes the file of a client and plans a call.",
      steps: ["Write the file of the client (fs_write)", "Create a task to call the client (task_create)"],
      skillsUsed: ["fs_write", "task_create", "fs_append"],
      examples: [
        {
          prompt:
            "set up the client Weber with clients/weber.md, a task to call the client, and a line in the index",
          parameters: {},
          skillSequence: ["fs_write", "task_create", "fs_append"],
        },
      ],
    });
    const followed = (name: string): Answer => {
      const calls = [
        act("fs_write", { path: `clients/${name}.md`, content: name }, id),
        act("task_create", { title: `Call ${name}` }, id),
        act("fs_append", { path: "clients/index.md", text: name }, id),
      ];
      return (request) => {
        if (!plans(request)) return { say: "The client is set up [1][2]." };
        const done = request.messages.filter(({ role }) => role === "assistant").length;
        return (name === "ros" ? calls.slice(0, 2) : calls)[done] ?? finish;
      };
    };
    for (const name of ["okafor", "ros"]) {
      await harness.set({ answer: followed(name) });
      const answer = await harness.ask(
        `set up a client again, the client ${name}, with a file and a task for the call`,
      );
      expect(answer.functionsUsed).toContainEqual({ id, title: "Set up a client", followed: true });
      expect([name, answer.learnedFunction]).toEqual([name, undefined]);
    }
    const { body } = await harness.owner.get("/api/functions?trust=draft");
    expect(JSON.stringify(body)).not.toContain("okafor");
    expect(JSON.stringify(body)).not.toContain("the client ros");
  });

  it("is not credited by a model that names an unoffered function", async () => {
    await harness.set({
      answer: (request) => {
        if (!plans(request)) return { say: "Done [1]." };
        const done = request.messages.filter(({ role }) => role === "assistant").length;
        return done === 0 ? act("task_list", {}, "func-20200101-zzzzzz") : finish;
      },
    });
    const answer = await harness.ask("tell me in your own way how busy I will be");
    expect(answer.scratchpad.every(({ functionId }) => functionId === undefined)).toBe(true);
  });
});

describe("a run that a model planned", () => {
  const TRIP = "get ready for a trip to Oslo";
  const steps = [
    act("fs_read", { path: "missing.md" }),
    act("fs_write", { path: "trips/oslo.md", content: "Oslo" }),
    act("task_create", { title: "Oslo" }),
  ];
  const planned: Answer = (request) => {
    if (!plans(request)) return { say: "You are ready [2]." };
    return steps[request.messages.filter(({ role }) => role === "assistant").length] ?? finish;
  };

  it("is learned without its detours, verified, and replayed for another place without a call to any model", async () => {
    await harness.set({ answer: planned });
    const first = await harness.ask(TRIP);
    expect(first.usage.planningCalls).toBe(4);
    const draft = await load(first.learnedFunction?.id ?? "");
    expect(draft).toMatchObject({
      kind: "recipe",
      skillsUsed: ["fs_write", "task_create"],
      recipe: { promptTemplates: ["get ready for a trip to {name}"] },
    });
    const promoted = await harness.owner.post("/api/functions/promote", { id: draft.id });
    expect(promoted.body).toMatchObject({ verification: { ok: true } });

    const again = await harness.ask("please get ready for my trip to Lima");
    expect(again).toMatchObject({
      outcome: "answered",
      planner: "replay",
      actions: ["fs_write", "task_create"],
      usage: { planningCalls: 0, modelCalls: 0 },
    });
    expect(await readFile(join(harness.profile, "out/trips/lima.md"), "utf8")).toBe("Lima");
  });

  it("is learned as a recipe if the model wrote a name for the pronoun of the request", async () => {
    const listed = (name: string, title: string): Answer => {
      const calls = [
        act("fs_read", { path: "guests.md" }),
        act("fs_append", { path: "guests.md", text: `- ${name}` }),
        act("task_create", { title }),
      ];
      return (request) =>
        plans(request)
          ? (calls[request.messages.filter(({ role }) => role === "assistant").length] ?? finish)
          : { say: "On the list [2], with a task [3]." };
    };
    await writeFile(join(harness.profile, "out/guests.md"), "# Guests\n- Anna\n");
    await harness.set({ answer: listed("Mia", "Call Mia") });
    const first = await harness.ask("put Mia on the guest list and make a task to call her");
    const draft = await load(first.learnedFunction?.id ?? "");
    expect(draft).toMatchObject({
      kind: "recipe",
      recipe: {
        promptTemplates: ["put {name} on the guest list and make a task to call her"],
        actions: [
          { skill: "fs_append", args: { text: "- ${name}" } },
          { skill: "task_create", args: { title: "Call ${name}" } },
        ],
      },
    });
    const promoted = await harness.owner.post("/api/functions/promote", { id: draft.id });
    expect(promoted.body).toMatchObject({ verification: { ok: true } });

    const again = await harness.ask("put Ben Moe on the guest list and make a task to call him");
    expect(again).toMatchObject({ planner: "replay", usage: { modelCalls: 0 } });
    expect(again.scratchpad.map(({ action }) => action?.args)).toContainEqual({ title: "Call Ben Moe" });
    for (const rest of ["call her sister", "write to her"]) {
      const other = await harness.ask(`put Ulf on the guest list and make a task to ${rest}`);
      expect(other.planner).not.toBe("replay");
    }
  });

  it("is learned if its words only look as if they described something mentioned before", async () => {
    const calls = [
      act("fs_write", {
        path: "trips/faro/packing.md",
        content: "# Faro\n\n- [ ] passport\n- [ ] sandals\n",
      }),
      act("task_create", { title: "Buy sandals" }),
    ];
    const packing: Answer = (request) =>
      plans(request)
        ? (calls[request.messages.filter(({ role }) => role === "assistant").length] ?? finish)
        : { say: "The list and the task are there [1][2]." };
    await harness.set({ answer: packing });
    const list =
      "Make a packing list for Faro: trips/faro/packing.md with the items passport and sandals as a checklist";
    const first = await harness.ask(`${list}, and add a task to buy sandals`);
    expect(first.learnedFunction).toBeDefined();
  });

  it("continues with the model at a deviation, with the steps so far", async () => {
    let prompt = "";
    await harness.set({
      answer: (request) => {
        if (!plans(request)) return { say: "The file was there already [1]." };
        prompt = promptOf(request);
        return finish;
      },
    });
    const answer = await harness.ask("get ready for a trip to Lima");
    expect(answer.planner).toBe("structured");
    expect(answer.usage.planningCalls).toBe(1);
    expect(prompt).toContain("already exists");
  });

  it("is learned from native tool calls as well", async () => {
    let step = 0;
    const calls: ChatScript[] = [
      { call: [{ name: "fs_write", args: { path: "teams/blue.md", content: "Blue" } }] },
      { call: [{ name: "memory_remember", args: { text: "Blue" } }] },
    ];
    await harness.set({
      etc: { runtime: { operator: { reactV2: false } } },
      answer: ({ tools }) =>
        tools.length > 0 ? (calls[step++] ?? { say: "Done." }) : { say: "Founded [1]." },
    });
    const answer = await harness.ask("found the team called Blue");
    expect(answer).toMatchObject({ planner: "tool-calling", actions: ["fs_write", "memory_remember"] });
    const learned = await load(answer.learnedFunction?.id ?? "");
    expect(learned.skillsUsed).toEqual(["fs_write", "memory_remember"]);
    expect(JSON.stringify(learned)).toContain("teams/${team|slug}.md");
  });

  it("gets a better description for its draft from the curator, a moment later", async () => {
    await harness.set({
      roles: { curator: ["ollama/plans:4b"] },
      answer: (request) => {
        if (request.messages[0]?.content.startsWith("You name what was learned"))
          return {
            json: { title: "Start a choir", summary: "Files a choir and notes it.", tags: ["music"] },
          };
        if (!plans(request)) return { say: "It sings [1]." };
        const done = request.messages.filter(({ role }) => role === "assistant").length;
        return (
          [
            act("fs_write", { path: "choirs/Tallis.md", content: "Tallis" }),
            act("task_create", { title: "Rehearse with Tallis" }),
          ][done] ?? finish
        );
      },
    });
    const answer = await harness.ask("start the choir named Tallis");
    const id = answer.learnedFunction?.id ?? "";
    await expect.poll(async () => (await load(id)).title, { timeout: 20_000 }).toBe("Start a choir");
    expect((await load(id)).tags).toContain("music");
  });
});
