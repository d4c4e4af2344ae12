import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FunctionAnswer } from "@metahuman/core/contract/answers";
import { FunctionRunAnswer } from "@metahuman/core/contract/curation";
import { OperatorPending } from "@metahuman/core/contract/http";
import { harnessBeforeAll } from "../support/before-all.ts";
import { functionNow } from "../support/code-samples.ts";
import { act, finish, play, type ModelHarness } from "../support/model-harness.ts";

// Recipes that are run by name, as code functions are.

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const run = (id: string, parameters: object) =>
  harness.owner.post(`/api/functions/${id}/run`, { parameters });
const load = (id: string) => functionNow(harness.owner, id);

/** Writes a file of the day and reads it back; its example ran in an empty folder. */
const RECIPE = {
  title: "Write a day's file and read it back",
  summary: "Writes out/days/<name>.md and reads it.",
  steps: ["Write it with fs_write.", "Read it with fs_read."],
  skillsUsed: ["fs_write", "fs_read"],
  kind: "recipe",
  parameters: [
    { name: "name", type: "string", description: "Its name", required: true },
    {
      name: "text",
      type: "string",
      description: "What to write",
      required: false,
      default: "${name} on ${today}",
    },
  ],
  recipe: {
    promptTemplates: ["keep the day ${name}"],
    actions: [
      {
        skill: "fs_write",
        args: { path: "days/${name}.md", content: "${text}" },
        expect: [{ field: "created", is: "equals", value: true }],
      },
      { skill: "fs_read", args: { path: "${steps.1.path}" }, expect: [{ field: "content", is: "present" }] },
    ],
  },
};

async function createRecipe(name: string, more: object = {}): Promise<string> {
  const { status, body } = await harness.owner.post("/api/functions", { ...RECIPE, name, ...more });
  expect([status, body]).toMatchObject([201, {}]);
  return FunctionAnswer.parse(body).function.id;
}

describe("a recipe", () => {
  it("is run like code: each of its actions is authorized and executed with the given values", async () => {
    const id = await createRecipe("keep-day");
    const answer = await run(id, { name: "monday" });
    expect(answer.status).toBe(200);
    const { result, logs, runId, calls } = FunctionRunAnswer.parse(answer.body);
    expect(calls).toMatchObject([{ skill: "fs_write", outputs: { path: "out/days/monday.md" } }]);
    const content = `monday on ${new Date().toLocaleDateString("sv-SE")}`;
    expect(result).toMatchObject({ steps: [{ path: "out/days/monday.md", created: true }, { content }] });
    expect(logs).toHaveLength(2);
    expect(await readFile(join(harness.profile, "out/days/monday.md"), "utf8")).toBe(content);
    expect(await load(id)).toMatchObject({ stats: { executions: 1, successes: 1 } });
    const audited = await harness.owner.get(`/api/audit?runId=${runId}&limit=50`);
    expect(JSON.stringify(audited.body)).toContain("fs_write");
  });

  it("takes a day in words and a number in quotes from a model", async () => {
    const { status, body } = await harness.owner.post("/api/functions", {
      title: "Note a course fee",
      name: "note-fee",
      summary: "Records a fee.",
      steps: ["Add a line"],
      skillsUsed: ["fs_append"],
      kind: "recipe",
      parameters: [
        { name: "name", type: "string", description: "The member", required: true },
        { name: "amount", type: "number", description: "In kroner", required: true },
        { name: "day", type: "date", description: "When it was paid", required: true },
      ],
      recipe: {
        promptTemplates: ["note that {name} paid {amount} on {day}"],
        actions: [
          { skill: "fs_append", args: { path: "fees.csv", text: "${day},${name},${amount}\n" }, expect: [] },
        ],
      },
    });
    expect(status).toBe(201);
    const { id } = FunctionAnswer.parse(body).function;
    await harness.owner.post("/api/functions/promote", { id, reason: "Looked through." });
    await harness.set({
      answer: play(
        [
          act("function_run", {
            id: "note-fee",
            name: "Ola",
            amount: "750",
            day: "the day after 2026-12-07",
          }),
          finish,
        ],
        "Noted [1].",
      ),
    });
    await harness.ask("Ola has finally brought the fee for the course, 750 on the day after 2026-12-07");
    expect(await readFile(join(harness.profile, "out/fees.csv"), "utf8")).toBe("2026-12-08,Ola,750\n");
  });

  it("stops at the first deviation, and rejects invalid parameters", async () => {
    const [write, read] = RECIPE.recipe.actions;
    const short = { ...write, expect: [{ field: "bytes", is: "equals", value: 3 }] };
    const id = await createRecipe("keep-day-again", { recipe: { ...RECIPE.recipe, actions: [short, read] } });
    expect(await run(id, { name: "tuesday", text: "abc" })).toMatchObject({ status: 200 });
    expect(await run(id, { name: "wednesday", text: "abcd" })).toMatchObject({
      status: 422,
      body: {
        error: {
          code: "FUNCTION_ERROR",
          message: expect.stringContaining("Step 1:"),
          // The file is written, so single calls must not write it again.
          suggestions: ["1 step is done. The others can be carried out one by one."],
        },
      },
    });
    expect(await run(id, {})).toMatchObject({ status: 422, body: { error: { code: "INVALID_ARGS" } } });
    expect(await run(id, { name: "a", more: 1 })).toMatchObject({ status: 422 });
    expect(await load(id)).toMatchObject({ stats: { executions: 2, failures: 1 } });
  });

  it("requires one approval for all of its actions, if the profile requires approval", async () => {
    const id = await createRecipe("keep-day-asked");
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "suggest" });
    try {
      const waiting = await run(id, { name: "asked" });
      expect(waiting).toMatchObject({ status: 202, body: { pending: { kind: "approval" } } });
      const { runId, pending } = OperatorPending.parse(waiting.body);
      const approvalId = pending?.kind === "approval" ? pending.approvalId : "";
      await harness.owner.post(`/api/approvals/${approvalId}`, { decision: "once" });
      const status = async () => (await harness.run(runId)).status;
      await expect.poll(status, { timeout: 20_000, interval: 100 }).toBe("ended");
      expect((await harness.run(runId)).scratchpad[0]?.observation).toMatchObject({ success: true });
    } finally {
      await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    }
  });

  it("is run by the operator if it is verified, and not before", async () => {
    const fixture = { at: "2026-11-20T09:30:00.000Z", paths: [], tasks: [], memories: [] };
    const id = await createRecipe("keep-day-operator", {
      examples: [{ prompt: "keep the day sunday", fixture }],
    });
    const plan = [act("function_run", { id, parameters: { name: "sunday" } }), finish];
    await harness.set({ answer: play(plan) });
    const refused = await harness.ask("note that sunday was a day somehow");
    expect(refused.scratchpad[0]?.observation).toMatchObject({ error: { code: "POLICY_DENIED" } });
    const promoted = await harness.owner.post("/api/functions/promote", { id });
    expect([promoted.status, promoted.body]).toMatchObject([200, {}]);
    await harness.set({ answer: play(plan) });
    const answer = await harness.ask("note that sunday was a day somehow");
    expect(answer.scratchpad[0]?.observation).toMatchObject({
      success: true,
      outputs: { result: { steps: [{ path: "out/days/sunday.md" }, {}] } },
    });
  });
});
