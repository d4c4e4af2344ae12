import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionPage, FunctionProposalPage, VerificationAnswer } from "@metahuman/core/contract/answers";
import { OperatorAnswer } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { z } from "zod";
import type { FunctionProposal } from "@metahuman/core/contract/function";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";

// What a second run of the same shape adds to a function, and what is trusted without a person; without a model.

let harness: LearningHarness;
let settings: string;
beforeAll(async () => {
  harness = await openLearningHarness();
  await mkdir(join(harness.server.home, "etc"), { recursive: true });
  settings = join(harness.server.home, "etc/operator.json");
});
afterAll(() => harness.server.dispose());

/** Calls `work` while `etc/operator.json` has these settings of functions. */
async function settled<Value>(functions: object, work: () => Promise<Value>): Promise<Value> {
  await writeFile(settings, JSON.stringify({ functions }));
  try {
    return await work();
  } finally {
    await rm(settings);
  }
}

async function proposals(id: string): Promise<FunctionProposal[]> {
  const { body } = await harness.owner.get(`/api/functions/${id}/proposals`);
  return FunctionProposalPage.parse(body).items;
}

describe("another run of the same shape", () => {
  it("is proposed to the function in service with both versions, and is used once a person accepts it", async () => {
    const draft = await harness.learnFrom(
      'put "mulch" in beds/rose.md and then add a task to weed the roses',
    );
    const { function: live } = await harness.promote(draft.id);
    expect(live.trust).toBe("verified");

    const again = await settled({ prefer: false }, () =>
      harness.ask('put "compost" in beds/lily.md, then add a task to weed the lilies'),
    );
    expect(again).toMatchObject({ outcome: "answered", planner: "built-in" });
    expect(again.learnedFunction).toBeUndefined();
    await expect.poll(() => proposals(draft.id), { timeout: 20_000 }).toHaveLength(1);
    const [proposal] = await proposals(draft.id);
    expect(proposal).toMatchObject({
      status: "pending",
      origin: "learned",
      sourceOperatorRunId: again.runId,
      baseVersion: live.version,
    });
    expect(proposal?.content.recipe?.promptTemplates).toHaveLength(2);
    expect(proposal?.content.examples.map(({ prompt }) => prompt)).toHaveLength(2);
    expect((await harness.load(draft.id)).recipe).toEqual(live.recipe);

    const accepted = await harness.owner.post(`/api/functions/${draft.id}/proposals`, {
      id: proposal?.id,
      decision: "accept",
    });
    expect([accepted.status, accepted.body]).toMatchObject([200, {}]);
    const now = await harness.load(draft.id);
    expect(now).toMatchObject({ trust: "verified", recipe: proposal?.content.recipe });
    expect(now.version).toBeGreaterThan(live.version);
    const replayed = await harness.ask('put "sand" in beds/iris.md, then add a task to weed the irises');
    expect(replayed.planner).toBe("replay");
    expect(replayed.functionsUsed).toContainEqual({ id: draft.id, title: now.title, followed: true });
  });
});

describe("the same task in other words", () => {
  it("is another example of the draft for it, and another template", async () => {
    const draft = await harness.learnFrom(
      'create a file hikes/alps.md with the text "boots", append "map" to it and read it',
    );
    const again = await harness.ask(
      'please make a file called hikes/fells.md saying "hat", then add "compass" to it and show it',
    );
    expect(again.outcome).toBe("answered");
    await expect.poll(async () => (await harness.load(draft.id)).examples.length).toBe(2);
    const now = await harness.load(draft.id);
    expect(now).toMatchObject({ trust: "draft", title: draft.title });
    expect(now.recipe?.actions).toEqual(draft.recipe?.actions);
    expect(now.recipe?.promptTemplates).toEqual([
      "create a file {path} with the text {content}, append {text} to it and read it",
      "please make a file called {path} saying {content}, then add {text} to it and show it",
    ]);
    expect((await harness.run(again.runId)).learnedFunction).toBeUndefined();
  });

  it("is proposed to the recipe in service, also with synonyms, and drafts no second one", async () => {
    const draft = await harness.learnFrom(
      'Make a folder recipes, write "eggs" to recipes/cake.md and read it',
    );
    await harness.promote(draft.id);
    for (const [count, request] of [
      'set up a folder meetings/budget, put "Lea takes notes" into meetings/budget/notes.md and show it to me',
      'create a directory meetings/staff, save "Tom is late" as meetings/staff/notes.md and let me see it',
    ].entries()) {
      const again = await settled({ prefer: false }, () => harness.ask(request));
      expect(again.outcome).toBe("answered");
      await expect.poll(() => proposals(draft.id), { timeout: 20_000 }).toHaveLength(count + 1);
      expect((await harness.run(again.runId)).learnedFunction).toBeUndefined();
    }
  });
});

describe("three runs that differ in their values only", () => {
  it("show which part of the title of a task varies, and verify although one is reminded of it", async () => {
    const request = (name: string, file: string, day: string): string =>
      `create a file clients/${file}.md with "${name}", append "first call: ${day}" to it and remind me to call ${name} on ${day}`;
    const { id } = await harness.learnFrom(request("Anna Berg", "anna", "Monday"));
    await harness.ask(request("Tomi Laine", "tomi", "Friday"));
    await expect.poll(async () => (await harness.load(id)).examples.length, { timeout: 20_000 }).toBe(2);
    await harness.ask(request("Ruth Oyelaran", "ruth", "Thursday"));
    await expect.poll(async () => (await harness.load(id)).examples.length, { timeout: 20_000 }).toBe(3);
    expect((await harness.load(id)).recipe?.actions.at(-1)?.args).toMatchObject({ title: "call ${name}" });
    expect((await harness.promote(id)).verification.checks).toContainEqual(
      expect.objectContaining({ name: "replay of example 3", ok: true }),
    );
  });
});

describe("a request that the skills understand, for what a function in service does", () => {
  it("is replayed and counted as a use of the function, and nothing else is learned", async () => {
    const draft = await harness.learnFrom(
      'create a file trips/ferry.md with the text "42 euros" and add a task to claim the ferry',
    );
    await harness.promote(draft.id);
    const again = await harness.ask(
      'save "18 euros" as trips/parking.md and put claim the parking on my to do list',
    );
    expect(again).toMatchObject({ outcome: "answered", planner: "replay" });
    expect(again.functionsUsed).toContainEqual({ id: draft.id, title: draft.title, followed: true });
    expect(await harness.file("trips/parking.md")).toContain("18 euros");
    await expect
      .poll(async () => (await harness.load(draft.id)).stats.successes, { timeout: 20_000 })
      .toBe(1);
    expect((await harness.run(again.runId)).learnedFunction).toBeUndefined();
  });
});

describe("functions that need no approval", () => {
  it("include a recipe whose checks pass, which is replayed without a person's decision", async () => {
    const { id, trust } = await settled({ requireApproval: false }, () =>
      harness.learnFrom(
        'create a file walls/east.md with the text "white" and remember that the east wall is white',
      ),
    );
    const proven = await harness.load(id);
    expect(proven).toMatchObject({ trust: "verified", status: "active", verification: { ok: true } });
    expect(proven.verification?.checks.map(({ name }) => name)).toContain("replay of example 1");
    expect(trust).toBe("verified");
    const replayed = await harness.ask(
      'create a file walls/west.md with the text "red" and remember that the west wall is red',
    );
    expect(replayed.planner).toBe("replay");
    expect(replayed.functionsUsed).toContainEqual({ id, title: proven.title, followed: true });
  });
});

describe("the replay of a run that changed tasks and memories", () => {
  it("restores them as they were in the scratch environment, verifies the recipe on them and leaves the real ones unchanged", async () => {
    await harness.ask("add a task to oil the gate");
    await harness.ask("remember that the gate key hangs in the shed");
    const draft = await harness.learnFrom(
      'finish the task oil the gate, find memories about the gate key and create a file gate.md with the text "oiled"',
    );
    const fixture = draft.examples[0]?.fixture;
    expect(fixture?.tasks).toMatchObject([{ title: "oil the gate", status: "todo" }]);
    expect(fixture?.memories.map(({ content }) => content).join()).toContain("gate key");
    const before = JSON.stringify((await harness.owner.get("/api/tasks")).body);
    const { body } = await harness.owner.post(`/api/functions/${draft.id}/verify`);
    const { verification } = VerificationAnswer.parse(body);
    expect(verification.checks.find(({ name }) => name.startsWith("replay"))).toMatchObject({ ok: true });
    expect(JSON.stringify((await harness.owner.get("/api/tasks")).body)).toBe(before);
  });
});

describe("a draft whose run is taken back in the next turn", () => {
  // Functions of the tests above would be replayed.
  let own: LearningHarness;
  beforeAll(async () => {
    own = await openLearningHarness();
    // Otherwise, undoing asks before it deletes what the run created.
    await own.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
  });
  afterAll(() => own.server.dispose());

  const learnedBy = async (
    goal: string,
  ): Promise<Required<Pick<Run, "id" | "conversationId" | "learnedFunction">>> => {
    const { runId } = await own.ask(goal);
    await expect.poll(async () => (await own.run(runId)).learnedFunction, { timeout: 20_000 }).toBeDefined();
    return z
      .object({
        ...Run.pick({ id: true, conversationId: true }).shape,
        learnedFunction: Run.shape.learnedFunction.unwrap(),
      })
      .parse(await own.run(runId));
  };
  const reply = async (
    goal: string,
    { conversationId }: Pick<Run, "conversationId">,
  ): Promise<OperatorAnswer> =>
    OperatorAnswer.parse((await own.owner.post("/api/operator", { goal, conversationId })).body);
  const drafts = async (): Promise<string[]> => {
    const { body } = await own.owner.get("/api/functions?limit=200");
    return FunctionPage.parse(body).items.map(({ id }) => id);
  };

  /** No function has this id. */
  const NOTHING_LEARNED = { id: "func-20000101-nothng", title: "nothing" };

  it("is withdrawn, can be restored, and is not learned again by itself", async () => {
    const order = 'create a file attic/plan.md with the text "beams", then add a task to measure the attic';
    const made = await learnedBy(order);
    const { id, title } = made.learnedFunction ?? NOTHING_LEARNED;
    expect(await drafts()).toContain(id);
    const { runId, outcome } = await reply("undo that", made);
    expect(outcome).toBe("answered");
    await expect.poll(drafts, { timeout: 20_000 }).not.toContain(id);
    await expect
      .poll(async () => (await own.run(runId)).warnings, { timeout: 20_000 })
      .toContain(`The draft “${title}” was withdrawn, because what it was learned from was undone.`);
    const again = await own.ask(order);
    expect((await own.run(again.runId)).learnedFunction).toBeUndefined();
    const restored = await own.owner.post(`/api/functions/${id}/undelete`);
    expect([restored.status, restored.body]).toMatchObject([200, {}]);
    expect(await drafts()).toContain(id);
  });

  it("stays where only a part of the run is taken back", async () => {
    const made = await learnedBy(
      'create a file cellar/shelf.md with the text "jars", then append "corks" to it and add a task to sweep the cellar',
    );
    const part = await reply("delete the task sweep the cellar", made);
    expect(part).toMatchObject({ outcome: "answered", actions: expect.arrayContaining(["task_delete"]) });
    expect(await drafts()).toContain((made.learnedFunction ?? NOTHING_LEARNED).id);
  });
});
