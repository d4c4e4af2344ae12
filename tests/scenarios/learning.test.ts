import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KITCHEN } from "../support/function-samples.ts";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";

// How a successful request becomes a function, and how the function is used; without a model.

let harness: LearningHarness;
beforeAll(async () => {
  harness = await openLearningHarness();
});
afterAll(() => harness.server.dispose());

describe("learn and reuse", () => {
  it("turns a request of three skills into a draft, verifies it in a scratch environment, and replays it for another with no planning", async () => {
    const draft = await harness.learnFrom(
      'create a file trips/oslo.md with the text "tent", append "lamp" to it and read it',
    );
    expect(draft).toMatchObject({
      trust: "draft",
      kind: "recipe",
      origin: "learned",
      skillsUsed: ["fs_write", "fs_append", "fs_read"],
      recipe: {
        promptTemplates: ["create a file {path} with the text {content}, append {text} to it and read it"],
        actions: [
          { skill: "fs_write", args: { path: "${path}", content: "${content}" } },
          { skill: "fs_append", args: { path: "${steps.1.path}", text: "${text}" } },
          { skill: "fs_read", args: { path: "${steps.2.path}" } },
        ],
      },
    });
    expect(draft.parameters.map(({ name, type, required }) => [name, type, required])).toEqual([
      ["path", "path", true],
      ["content", "string", true],
      ["text", "string", true],
    ]);

    const { function: verified, verification } = await harness.promote(draft.id);
    expect(verification.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(verified).toMatchObject({ trust: "verified", status: "active" });

    const again = await harness.ask(
      'please make a file called trips/rome.md saying "ciao", then add "arrivederci" to it and show it',
    );
    expect(again).toMatchObject({
      outcome: "answered",
      planner: "replay",
      actions: ["fs_write", "fs_append", "fs_read"],
      functionsUsed: [{ id: draft.id, followed: true }],
      usage: { planningCalls: 0, modelCalls: 0 },
    });
    expect(again.learnedFunction).toBeUndefined();
    expect(
      again.scratchpad.filter(({ action }) => action).every(({ functionId }) => functionId === draft.id),
    ).toBe(true);
    expect(await harness.file("trips/rome.md")).toContain("ciao\narrivederci");

    const run = await harness.run(again.runId);
    expect(run.functionsUsed).toEqual([{ id: draft.id, title: draft.title, followed: true }]);
    expect((await harness.load(draft.id)).stats).toMatchObject({ executions: 1, successes: 1, failures: 0 });
  });
});

describe("a sandwich", () => {
  it("is stored in the default place of the skill, until a verified guide names another one", async () => {
    expect((await harness.ask("make salad file")).scratchpad[0]?.action?.args).toMatchObject({
      path: "salad.txt",
    });

    const draft = await harness.write(KITCHEN);
    expect((await harness.ask("make soup file")).scratchpad[0]?.action?.args).toMatchObject({
      path: "soup.txt",
    });

    await harness.promote(draft.id);
    const answer = await harness.ask("make pizza file");
    expect(answer).toMatchObject({
      outcome: "answered",
      planner: "built-in",
    });
    expect(answer.functionsUsed).toContainEqual({
      id: draft.id,
      title: "Make a kitchen file",
      followed: true,
    });
    expect(await harness.file("kitchen/pizza.md")).toBe("");
    expect(answer.scratchpad[0]).toMatchObject({
      functionId: draft.id,
      action: { args: { path: "out/kitchen/pizza.md" } },
    });
    const run = await harness.run(answer.runId);
    expect(run.context?.functions[0]).toMatchObject({ id: draft.id, rank: 1 });
    expect(run.context?.functionTokens).toBeGreaterThan(0);
    expect((await harness.load(draft.id)).stats).toMatchObject({ executions: 1, successes: 1 });
  });
});

describe("near misses", () => {
  beforeAll(async () => {
    await harness.createPromotedRecipe("set up the {name} corner", "corners/${name}.md", "Set up a corner");
  });

  it("are similar to what is replayed", async () => {
    expect((await harness.ask("set up the attic corner")).planner).toBe("replay");
  });

  it.each([
    "set up garden folder corner",
    "do not set up the garden corner",
    "set up the garden corner in notes/",
    "set up the garden corner and the kitchen corner",
    "set up the garden corner tomorrow",
    "set up no corner",
  ])("are not replayed: %s", async (near) => {
    const answer = await harness.ask(near);
    expect(answer.planner).not.toBe("replay");
    expect(answer.functionsUsed.every(({ followed }) => !followed)).toBe(true);
  });
});

describe("an unrelated goal that uses the same skills", () => {
  it("is learned separately and does not count as a use of the first function", async () => {
    const first = await harness.learnFrom(
      'create a file plants/rose.md with the text "water", add a task to water the rose',
    );
    await harness.promote(first.id);
    const before = await harness.load(first.id);
    const second = await harness.learnFrom(
      'write "invoice 7" to bills/seven.md then remind me to pay the invoice',
    );
    expect(second.id).not.toBe(first.id);
    expect(second.skillsUsed).toEqual(first.skillsUsed);
    const after = await harness.load(first.id);
    expect([after.usageCount, after.stats, after.examples]).toEqual([
      before.usageCount,
      before.stats,
      before.examples,
    ]);
  });
});

describe("a recipe that no longer works", () => {
  it("falls back, is debited, and is disabled with a reason if it keeps failing", async () => {
    // It expects a name of five letters: a failure after that is its own, not a collision.
    const { id } = await harness.createPromotedRecipe(
      "lay out the {name} shelf",
      "shelves/${name}.md",
      "Lay out a shelf",
      "spice".length,
    );
    expect((await harness.ask("lay out the spice shelf")).planner).toBe("replay");
    const fallen = await harness.ask("lay out the tea shelf");
    expect(fallen.planner).toBe("built-in");
    expect((await harness.load(id)).stats).toMatchObject({ executions: 2, successes: 1, failures: 1 });
    const run = await harness.run(fallen.runId);
    expect(run.warnings.join(" ")).toContain("“Lay out a shelf” did not go as expected");

    for (const name of ["jam", "oil", "salt"]) await harness.ask(`lay out the ${name} shelf`);
    const off = await harness.load(id);
    expect(off).toMatchObject({ status: "disabled", stats: { executions: 5, successes: 1, failures: 4 } });
    expect(off.statusReason).toContain("It worked 1 of 5 times.");
    const after = await harness.ask("lay out the rice shelf");
    expect(after.functionsUsed).toEqual([]);
    expect((await harness.load(id)).stats.executions).toBe(5);
  });
});

describe("a recipe that always writes the same file", () => {
  it("numbers the file if it is repeated, in a request and as a call", async () => {
    const { id } = await harness.createPromotedRecipe(
      "begin the {name} shift",
      "shifts/log.md",
      "Begin a shift",
    );
    expect((await harness.ask("begin the early shift")).planner).toBe("replay");
    const again = await harness.ask("begin the late shift");
    expect(again).toMatchObject({ planner: "replay", outcome: "answered" });
    expect(again.result).toContain("shifts/log-2.md");
    expect(again.result).toContain("out/shifts/log.md already exists and was not changed.");
    expect(await harness.file("shifts/log.md")).toBe("early");
    expect(await harness.file("shifts/log-2.md")).toBe("late");

    const called = await harness.owner.post(`/api/functions/${id}/run`, { parameters: { name: "night" } });
    expect(called.status).toBe(200);
    expect(await harness.file("shifts/log-3.md")).toBe("night");
    expect((await harness.load(id)).stats).toMatchObject({ failures: 0 });
  });

  it("does not number a file that the request names", async () => {
    await harness.createPromotedRecipe("open logbook.md with {name}", "logbook.md", "Open the logbook");
    await harness.ask("open logbook.md with ada");
    const again = await harness.ask("open logbook.md with bob");
    expect(again.planner).not.toBe("replay");
    await expect(harness.file("logbook-2.md")).rejects.toThrow("ENOENT");
  });
});

describe("a person's verdict", () => {
  it("counts more than the run's own outcome", async () => {
    const { id } = await harness.createPromotedRecipe(
      "open the {name} season",
      "seasons/${name}.md",
      "Open a season",
    );
    const { runId } = await harness.ask("open the skiing season");
    expect((await harness.load(id)).stats).toMatchObject({ executions: 1, successes: 1, failures: 0 });
    await harness.owner.post(`/api/runs/${runId}/feedback`, { verdict: "not_useful" });
    expect((await harness.load(id)).stats).toMatchObject({ executions: 2, successes: 0, failures: 2 });
    await harness.owner.post(`/api/runs/${runId}/feedback`, { verdict: "useful" });
    expect((await harness.load(id)).stats).toMatchObject({ executions: 2, successes: 2, failures: 0 });
  });
});
