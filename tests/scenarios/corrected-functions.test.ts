import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  FunctionAnswer,
  FunctionDetail,
  FunctionPage,
  FunctionProposalPage,
} from "@metahuman/core/contract/answers";
import type { OperatorAnswer } from "@metahuman/core/contract/http";
import type { Run } from "@metahuman/core/contract/run";
import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { harnessBeforeAll } from "../support/before-all.ts";
import { functionNow } from "../support/code-samples.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";
import { act, finish, type ModelHarness, purposeOf, type Scene } from "../support/model-harness.ts";

// A person corrects in words what a function did: the function gets a proposal, and nothing is learned beside it.

const FILE_INVOICE = {
  title: "File an invoice",
  summary: "Notes an invoice and makes a task to pay it.",
  steps: ["Write the note (fs_write)", "Create the task (task_create)"],
  skillsUsed: ["fs_write", "task_create"],
  kind: "recipe",
  parameters: [
    { name: "number", type: "number", description: "The number", required: true },
    { name: "sender", type: "string", description: "Who sent it", required: true },
  ],
  examples: [
    { prompt: "file invoice 2041 from Brightwater", parameters: { number: 2041, sender: "Brightwater" } },
  ],
  recipe: {
    promptTemplates: ["file invoice {number} from {sender}"],
    actions: [
      {
        skill: "fs_write",
        args: { path: "invoices/${number}.md", content: "${sender}" },
        expect: [{ field: "path", is: "matches", value: "(^|/)invoices/${number}\\.md$" }],
      },
      { skill: "task_create", args: { title: "Pay invoice ${number}" }, expect: [] },
    ],
  },
};
const INSTEAD = "From now on put these into archive/invoices instead";
const moved = {
  isStanding: true,
  reason: "The note goes into archive/invoices.",
  changes: [{ step: 1, argument: "path", value: "archive/invoices/${number}.md" }],
};

const PATIENT = { timeout: 30_000 };

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));
let id = "";
let number = 2041;

beforeEach(async () => {
  for (const { id: old } of FunctionPage.parse((await harness.owner.get("/api/functions")).body).items)
    await harness.owner.send("DELETE", `/api/functions/${old}`);
  const created = await harness.owner.post("/api/functions", FILE_INVOICE);
  id = FunctionAnswer.parse(created.body).function.id;
  await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
});

const corrects = ({ messages }: SeenRequest): boolean =>
  messages[0]?.content.startsWith("A person corrects how a learned function works") ?? false;

/** Files the next invoice by replay, and then sends the correction in the same conversation. */
async function correct(words: string, plan: readonly ChatScript[], reply: object): Promise<OperatorAnswer> {
  number += 1;
  await harness.set();
  const filed = await harness.ask(`file invoice ${String(number)} from Kirkenes`);
  expect(filed).toMatchObject({ planner: "replay", outcome: "answered" });
  let step = 0;
  await harness.set({
    answer: (seen) => {
      if (corrects(seen)) return { json: reply };
      return purposeOf(seen) === "plan" ? (plan[step++] ?? finish) : { say: "I will do so [1]." };
    },
  });
  return harness.ask(words, { conversationId: filed.conversationId });
}

const remembers = [act("memory_remember", { text: "Invoices go into archive/invoices" })];
const proposals = async () =>
  FunctionProposalPage.parse((await harness.owner.get(`/api/functions/${id}/proposals`)).body).items;
const drafts = async () =>
  FunctionPage.parse((await harness.owner.get("/api/functions?trust=draft")).body).items;
const asked = () => harness.models.chats().filter(corrects);

describe("a correction of what a function just did", () => {
  it("is proposed as a change of this function, and applies once a person accepts it", async () => {
    const { runId } = await correct(INSTEAD, remembers, moved);
    // A slow model may answer after the end of the run.
    await expect
      .poll(async () => (await harness.run(runId)).warnings, PATIENT)
      .toContainEqual(
        expect.stringContaining(
          "A change of the function “File an invoice” was prepared from your correction.",
        ),
      );
    const [proposal, ...others] = await proposals();
    expect(others).toEqual([]);
    expect(proposal).toMatchObject({
      functionId: id,
      status: "pending",
      origin: "learned",
      sourceOperatorRunId: runId,
      reason: `You said: “${INSTEAD}”. The note goes into archive/invoices.`,
      content: {
        recipe: {
          actions: [
            {
              args: { path: "archive/invoices/${number}.md", content: "${sender}" },
              expect: [{ field: "path", is: "matches", value: "(^|/)archive/invoices/${number}\\.md$" }],
            },
            { skill: "task_create" },
          ],
        },
      },
    });
    expect(await drafts()).toEqual([]);

    const accepted = await harness.owner.post(`/api/functions/${id}/proposals`, {
      id: proposal?.id,
      decision: "accept",
    });
    expect(accepted.status).toBe(200);
    await harness.set();
    await harness.ask("file invoice 3001 from Moe");
    expect(await readFile(join(harness.profile, "out/archive/invoices/3001.md"), "utf8")).toBe("Moe");

    const restored = await harness.owner.post(`/api/functions/${id}/restore`, { version: 1 });
    expect(restored.status).toBe(200);
  });

  it("is not what an order says that begins a conversation", async () => {
    let step = 0;
    await harness.set({
      answer: (seen) => {
        if (corrects(seen)) return { json: moved };
        const run = act("function_run", { id, parameters: { number: 3100, sender: "Moe" } });
        return purposeOf(seen) === "plan" ? (step++ === 0 ? run : finish) : { say: "Filed [1]." };
      },
    });
    const { runId } = await harness.ask("we got one more invoice from Moe: the note 3100 should say Moe");
    expect(await harness.run(runId)).toMatchObject({ outcome: "answered", scratchpad: [{}, {}] });
    expect(asked()).toEqual([]);
    expect(await proposals()).toEqual([]);
  });

  it("shows the model the function, what was done and the words of the person, as material", async () => {
    await correct(INSTEAD, remembers, moved);
    await expect.poll(asked, PATIENT).toHaveLength(1);
    const [seen] = asked();
    const prompt = seen?.messages.at(-1)?.content ?? "";
    expect(prompt).toContain('1. fs_write {"path":"invoices/${number}.md"');
    expect(prompt).toContain("memory_remember {");
    expect(prompt).toContain(`The correction: <data>${INSTEAD}</data>`);
  });

  it("adds a call only of a skill that the function has or the correction used", async () => {
    const task = { skill: "task_create", args: { title: "Scan invoice ${number}" } };
    await correct("No, there should also be a task to scan it", [act("task_create", { title: "Scan it" })], {
      ...moved,
      changes: [],
      added: [task],
    });
    await expect.poll(proposals, PATIENT).toHaveLength(1);
    const [proposal] = await proposals();
    expect(proposal?.content.recipe?.actions.at(-1)).toMatchObject(task);
    // While a change waits, the next request asks about it.
    await harness.owner.post(`/api/functions/${id}/proposals`, { id: proposal?.id, decision: "reject" });
    await correct("Next time delete the old one, it should be gone", [act("task_list")], {
      ...moved,
      added: [{ skill: "fs_delete", args: { path: "invoices" } }],
    });
    await expect.poll(asked, PATIENT).toHaveLength(1);
    expect(await proposals()).toMatchObject([{ status: "rejected" }]);
  });

  it.each([
    ["concerns only this one", { ...moved, isStanding: false }],
    [
      "names a parameter that does not exist",
      { ...moved, changes: [{ step: 1, argument: "path", value: "${folder}/x.md" }] },
    ],
    [
      "names a call that does not exist",
      { ...moved, changes: [{ step: 7, argument: "path", value: "x.md" }] },
    ],
    [
      "names an argument that the skill does not have",
      { ...moved, changes: [{ step: 2, argument: "prio", value: "high" }] },
    ],
    ["changes nothing", { ...moved, changes: [] }],
  ])("proposes nothing if it %s", async (_, reply) => {
    const { runId } = await correct(INSTEAD, remembers, reply);
    await expect.poll(asked, PATIENT).toHaveLength(1);
    expect(await proposals()).toEqual([]);
    expect((await harness.run(runId)).warnings.join()).not.toContain("correction");
  });
});

describe("the next request while the change waits", () => {
  /** Corrects the function in words, and asks for it again without a model that could plan it. */
  async function askAgain(next: string, scene: Scene = {}) {
    const { conversationId } = await correct(
      "No, these go into archive/invoices",
      [act("fs_write", { path: `archive/invoices/${String(number + 1)}.md`, content: "Kirkenes" })],
      moved,
    );
    await expect.poll(proposals, PATIENT).toHaveLength(1);
    await harness.set(scene);
    const { status, body } = await harness.owner.post("/api/operator", { goal: next });
    const { runId } = z.object({ runId: z.string() }).parse(body);
    return { status, runId, conversationId };
  }
  const written = (path: string) => readFile(join(harness.profile, "out", path), "utf8");
  const decide = async (runId: string, answer: string): Promise<Run> => {
    await harness.owner.post(`/api/runs/${runId}/answer`, { text: answer });
    await expect.poll(async () => (await harness.run(runId)).status, PATIENT).toBe("ended");
    return harness.run(runId);
  };

  it("asks which way is meant, and does it with the change", async () => {
    const { status, runId } = await askAgain("file invoice 4001 from Moe");
    expect(status).toBe(202);
    expect((await harness.run(runId)).pending).toMatchObject({
      question: expect.stringContaining(
        "You said: “No, these go into archive/invoices”. The note goes into archive/invoices. This change of “File an invoice” is not accepted yet.",
      ),
      options: ["With the change: archive/invoices/4001.md", "As before: invoices/4001.md"],
    });
    const { result, planner, learnedFunction } = await decide(runId, "With the change");
    expect(planner).toBe("replay");
    expect(result).toContain("Accept the change on the Functions page to make it permanent.");
    expect(learnedFunction).toBeUndefined();
    expect(await written("archive/invoices/4001.md")).toBe("Moe");
    await expect(written("invoices/4001.md")).rejects.toThrow();
  });

  it("does it as before if the person wants that", async () => {
    const { runId } = await askAgain("file invoice 4002 from Moe");
    const { result } = await decide(runId, "as before");
    expect(result).toContain("a change of “File an invoice” waits for your decision on the Functions page");
    expect(await written("invoices/4002.md")).toBe("Moe");
    expect((await harness.run(runId)).usage.planningCalls).toBe(0);
  });

  it("lets a model plan what else the person answers", async () => {
    const { runId } = await askAgain("file invoice 4003 from Moe");
    const plan = [act("fs_write", { path: "bills/4003.md", content: "Moe" }), finish];
    let step = 0;
    await harness.set({
      answer: (seen) => (purposeOf(seen) === "plan" ? (plan[step++] ?? finish) : { say: "Filed [2]." }),
    });
    await decide(runId, "neither, put it into bills/");
    expect(await written("bills/4003.md")).toBe("Moe");
  });

  it.each([
    ["with the change", "archive/invoices"],
    ["as before", "invoices"],
  ])("says nothing about the change if the first call fails %s", async (way, folder) => {
    const { runId } = await askAgain("file invoice 4010 from Moe", { models: [] });
    await mkdir(join(harness.profile, "out", folder, "4010.md"), { recursive: true });
    const { result, scratchpad } = await decide(runId, way);
    expect(scratchpad[1]).toMatchObject({ action: { tool: "fs_write" }, observation: { success: false } });
    expect(result).not.toMatch(/Functions page|as before/u);
  });

  it("neither credits nor blames the verified function for what its change did", async () => {
    const { runId } = await askAgain("file invoice 4011 from Moe");
    const before = await functionNow(harness.owner, id);
    await decide(runId, "with the change");
    const failing = await harness.owner.post("/api/operator", { goal: "file invoice 4012 from Moe" });
    const { runId: second } = z.object({ runId: z.string() }).parse(failing.body);
    await mkdir(join(harness.profile, "out/archive/invoices/4012.md"), { recursive: true });
    expect((await decide(second, "with the change")).scratchpad[1]?.observation?.success).toBe(false);
    const { successes, failures } = before.stats;
    expect(await functionNow(harness.owner, id)).toMatchObject({ stats: { successes, failures } });
  });

  it("asks once more if the answer names neither way", async () => {
    const { runId } = await askAgain("file invoice 4013 from Moe");
    await harness.owner.post(`/api/runs/${runId}/answer`, { text: "yes" });
    await expect
      .poll(async () => (await harness.run(runId)).pending, PATIENT)
      .toMatchObject({
        question: "“yes” is none of them. Which way do you want it this time?",
        options: ["With the change: archive/invoices/4013.md", "As before: invoices/4013.md"],
      });
    await decide(runId, "with the change");
    expect(await written("archive/invoices/4013.md")).toBe("Moe");
  });

  it("does nothing if the second answer names neither way, either", async () => {
    const { runId } = await askAgain("file invoice 4014 from Moe");
    await harness.owner.post(`/api/runs/${runId}/answer`, { text: "yes" });
    await expect
      .poll(async () => (await harness.run(runId)).pending, PATIENT)
      .toMatchObject({ question: expect.stringContaining("is none of them") });
    expect((await decide(runId, "sure")).result).toBe("You chose none of them, so this was not done.");
    await expect(written("invoices/4014.md")).rejects.toThrow();
  });

  it("does nothing if the person declines both", async () => {
    const { runId } = await askAgain("file invoice 4004 from Moe");
    const { result } = await decide(runId, "no");
    expect(result).toBe("All right, nothing was changed.");
    await expect(written("invoices/4004.md")).rejects.toThrow();
  });

  it("does not ask once the change is rejected", async () => {
    const first = await askAgain("file invoice 4005 from Moe");
    await decide(first.runId, "as before");
    const [proposal] = await proposals();
    await harness.owner.post(`/api/functions/${id}/proposals`, { id: proposal?.id, decision: "reject" });
    const { result, planner } = await harness.ask("file invoice 4006 from Moe");
    expect(planner).toBe("replay");
    expect(result).not.toContain("change");
  });

  it("follows the live version of an edited function, and says that an edit waits", async () => {
    const { version } = FunctionDetail.parse((await harness.owner.get(`/api/functions/${id}`)).body).function;
    const [write, task] = FILE_INVOICE.recipe.actions;
    const recipe = {
      ...FILE_INVOICE.recipe,
      actions: [{ ...write, args: { ...write?.args, content: "From ${sender}" }, expect: [] }, task],
    };
    const edited = await harness.owner.send("PUT", `/api/functions/${id}`, { recipe, version });
    expect(edited.status).toBeLessThan(300);
    await harness.set();
    const { result } = await harness.ask("file invoice 4007 from Moe");
    expect(await written("invoices/4007.md")).toBe("Moe");
    expect(result).toContain(
      "This was done as before: a change of “File an invoice” waits for your decision on the Functions page.",
    );
  });
});

describe("an edit that needs a value of another type", () => {
  it("is not said to wait for the next request", async () => {
    const { version } = FunctionDetail.parse((await harness.owner.get(`/api/functions/${id}`)).body).function;
    const [write, task] = FILE_INVOICE.recipe.actions;
    const edited = await harness.owner.send("PUT", `/api/functions/${id}`, {
      parameters: FILE_INVOICE.parameters.map((one) =>
        one.name === "number" ? { ...one, type: "string" } : one,
      ),
      examples: FILE_INVOICE.examples.map((one) => ({
        ...one,
        parameters: { ...one.parameters, number: "2041" },
      })),
      recipe: {
        ...FILE_INVOICE.recipe,
        actions: [{ ...write, args: { ...write?.args, content: "From ${sender}" }, expect: [] }, task],
      },
      version,
    });
    expect(edited.status).toBeLessThan(300);
    expect(await proposals()).toMatchObject([{ status: "pending", origin: "edit" }]);
    await harness.set();
    const { planner, result } = await harness.ask("file invoice 4015 from Moe");
    expect(planner).toBe("replay");
    expect(result).not.toContain("waits for your decision");
  });
});

describe("words that correct nothing", () => {
  it("are not shown to the model as a correction", async () => {
    await correct("Read invoices/2042.md to me", [act("fs_read", { path: "invoices/2042.md" })], moved);
    expect(asked()).toEqual([]);
    await harness.set({ answer: () => ({ say: "I will." }) });
    await harness.ask("From now on always be short");
    expect(asked()).toEqual([]);
  });
});

describe("a correction of what a guide says", () => {
  it("is proposed as its new steps", async () => {
    const { recipe: _recipe, ...guide } = FILE_INVOICE;
    const { body } = await harness.owner.post("/api/functions", {
      ...guide,
      kind: "guide",
      title: "Collect invoices",
    });
    const other = FunctionAnswer.parse(body).function.id;
    await harness.owner.post("/api/functions/promote", { id: other, reason: "Looked through." });
    const follow = (path: string): ChatScript => ({
      json: {
        thought: "Write it.",
        action: { tool: "fs_write", args: { path, content: "x" } },
        functionId: other,
      },
    });
    const plan = [follow("collected/1.md"), finish, act("memory_remember", { text: "Sort them by sender" })];
    let step = 0;
    const steps = [
      "Write the note into the folder of its sender (fs_write)",
      "Create the task (task_create)",
    ];
    await harness.set({
      answer: (seen) => {
        if (corrects(seen)) return { json: { ...moved, changes: [], steps } };
        return purposeOf(seen) === "plan" ? (plan[step++] ?? finish) : { say: "It is noted [1]." };
      },
    });
    const first = await harness.ask("collect the invoices: a note and a task to pay the invoice");
    expect(first.functionsUsed).toContainEqual(expect.objectContaining({ id: other, followed: true }));
    await harness.ask("Always sort them by sender", { conversationId: first.conversationId });
    const proposed = async () =>
      FunctionProposalPage.parse((await harness.owner.get(`/api/functions/${other}/proposals`)).body).items;
    await expect.poll(proposed, PATIENT).toMatchObject([{ status: "pending", content: { steps } }]);
  });
});
