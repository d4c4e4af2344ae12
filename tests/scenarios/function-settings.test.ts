import { afterEach, expect, it } from "vitest";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { FunctionSearchAnswer } from "@metahuman/core/contract/function-search";
import { harnessBeforeAll } from "../support/before-all.ts";
import { mh } from "../support/cli.ts";
import { createCode, registerByOperator } from "../support/code-samples.ts";
import { act, finish, type ModelHarness, play } from "../support/model-harness.ts";

// Each function setting of a profile, with its effect.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const UNSET = {
  autoRegister: null,
  requireApproval: null,
  maxPerProfile: null,
  searchThreshold: null,
  prefer: null,
};
const set = (functions: object) => harness.owner.send("PATCH", "/api/settings", { functions });
afterEach(async () => {
  await set(UNSET);
});

const register = (name: string) => registerByOperator(harness, name);

it("stores changes, restores the installation's by null, and refuses values out of bounds", async () => {
  await set({ maxPerProfile: 20, prefer: false });
  expect(await set({ prefer: null })).toMatchObject({
    status: 200,
    body: { settings: { functions: { maxPerProfile: 20 } } },
  });
  for (const wrong of [
    { maxPerProfile: 0 },
    { searchThreshold: 1.5 },
    { searchThreshold: "low" },
    { most: 1 },
  ])
    expect([400, 422]).toContain((await set(wrong)).status);
});

it("stores every one of several concurrent changes", async () => {
  for (let round = 0; round < 5; round += 1) {
    await set(UNSET);
    const changes = [
      { maxPerProfile: 20 },
      { prefer: false },
      { requireApproval: false },
      { searchThreshold: 0.4 },
    ];
    await Promise.all(changes.map(set));
    expect((await harness.owner.get("/api/settings")).body).toMatchObject({
      settings: { functions: Object.assign({}, ...changes) },
    });
  }
});

it("registers nothing by itself without autoRegister", async () => {
  await set({ autoRegister: false });
  expect(await register("by-itself")).toMatchObject({
    error: { code: "POLICY_DENIED", message: expect.stringContaining("cannot register functions by itself") },
  });
});

it("lets passing checks decide without requireApproval", async () => {
  await set({ requireApproval: false });
  expect((await register("checks-decide"))?.outputs).toMatchObject({ status: "active", trust: "verified" });
  await set({ requireApproval: true });
  expect((await register("person-decides"))?.outputs).toMatchObject({ status: "pending_approval" });
});

it("accepts no more functions than maxPerProfile", async () => {
  await set({ maxPerProfile: 1 });
  await expect(createCode(harness.owner, "one-too-many")).rejects.toThrow("has reached its limit of");
});

it("finds functions by searchThreshold", async () => {
  await createCode(harness.owner, "measured-search");
  const found = async () => {
    const { body } = await harness.owner.get("/api/functions/search?query=zwergtaucher%20im%20schilf");
    return FunctionSearchAnswer.parse(body).items.length;
  };
  expect(await found()).toBe(0);
  await set({ searchThreshold: 0 });
  expect(await found()).toBeGreaterThan(0);
});

it("replays a recipe that certainly matches, unless prefer is off", async () => {
  await harness.owner.post("/api/tasks", { title: "water the ferns" });
  const { status, body } = await harness.owner.post("/api/functions", {
    name: "fern-round",
    title: "Fern round",
    summary: "Lists the tasks.",
    steps: ["List the tasks."],
    skillsUsed: ["task_list"],
    recipe: {
      promptTemplates: ["do the fern round"],
      actions: [{ skill: "task_list", args: {}, expect: [] }],
    },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const { function: created } = FunctionAnswer.parse(body);
  expect((await harness.owner.post("/api/functions/promote", { id: created.id })).status).toBe(200);
  await harness.set({ answer: play([act("task_list"), finish]) });
  expect((await harness.ask("do the fern round")).planner).toBe("replay");
  await set({ prefer: false });
  await harness.set({ answer: play([act("task_list"), finish]) });
  expect((await harness.ask("do the fern round")).planner).not.toBe("replay");
});

it("is read and changed by the command line", async () => {
  const run = (...args: string[]) => mh(harness.home, ["functions", "settings", ...args]);
  expect((await run("searchThreshold=0.5", "prefer=false")).code).toBe(0);
  expect((await run()).out).toMatch(/searchThreshold\s+0\.5/u);
  expect((await run("prefer=default")).out).toMatch(/prefer\s+true/u);
  const wrong = await run("maxPerProfile=none");
  expect(wrong.code).not.toBe(0);
  expect(wrong.err).toContain("Max per profile must be a number, not text.");
});
