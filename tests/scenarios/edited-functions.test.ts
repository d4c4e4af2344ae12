import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FunctionUpdated, FunctionVersionPage, ProposalDecided } from "@metahuman/core/contract/answers";
import type { FunctionChange, FunctionMemory } from "@metahuman/core/contract/function";
import { mh } from "../support/cli.ts";
import { openLearningHarness, type LearningHarness } from "../support/learning-harness.ts";

// The proof of a recipe is what its examples do. An edit after which they do something else needs a new one.

let harness: LearningHarness;
let proven: FunctionMemory;
const REQUEST = 'create a file trips/oslo.md with the text "tent", append "lamp" to it and read it';

beforeAll(async () => {
  harness = await openLearningHarness();
  proven = (await harness.promote((await harness.learnFrom(REQUEST)).id)).function;
});
afterAll(() => harness.server.dispose());

/** The recipe with another text at the end of the file. */
const changed = (text: string): FunctionChange["recipe"] => ({
  promptTemplates: proven.recipe?.promptTemplates ?? [],
  actions: (proven.recipe?.actions ?? []).map((action) =>
    action.skill === "fs_append" ? { ...action, args: { ...action.args, text } } : action,
  ),
});

async function propose(change: FunctionChange): Promise<string> {
  const { version } = await harness.load(proven.id);
  const edited = await harness.owner.send("PUT", `/api/functions/${proven.id}`, { ...change, version });
  return FunctionUpdated.parse(edited.body).proposal?.id ?? "";
}

async function accept(id: string): Promise<FunctionMemory> {
  const decided = await harness.owner.post(`/api/functions/${proven.id}/proposals`, {
    id,
    decision: "accept",
  });
  return ProposalDecided.parse(decided.body).function;
}

const lastChange = async (): Promise<string | undefined> =>
  FunctionVersionPage.parse((await harness.owner.get(`/api/functions/${proven.id}/versions`)).body).items[0]
    ?.change;

describe("an accepted edit of a verified recipe", () => {
  it("leaves it verified if its examples do the same as before", async () => {
    const steps = proven.steps.map((step) => `${step}.`);
    expect(await accept(await propose({ steps }))).toMatchObject({ trust: "verified", steps });
    expect(await lastChange()).not.toContain("Not proven");
  });

  it("makes it a draft if an example now has another result, and says so in its history", async () => {
    const edited = await accept(await propose({ recipe: changed("${text} and matches") }));
    expect(edited).toMatchObject({
      trust: "draft",
      statusReason: expect.stringMatching(/^Changed, not proven: .*out\/trips\/oslo\.md has other contents/u),
    });
    expect(edited.verification).toBeUndefined();
    expect(await lastChange()).toMatch(/^Changed the steps and the recipe\. Not proven: out\/trips/u);
    expect((await harness.ask(REQUEST.replaceAll("oslo", "rome"))).planner).not.toBe("replay");
  });

  it("is proven again when the person promotes the function", async () => {
    const { function: again } = await harness.promote(proven.id);
    expect(again).toMatchObject({ trust: "verified", verification: { ok: true } });
    expect(again.statusReason).toBeUndefined();
    expect((await harness.ask(REQUEST.replaceAll("oslo", "bern"))).planner).toBe("replay");
    expect(await harness.file("trips/bern.md")).toContain("lamp and matches");
  });

  it("says on the command line that it is not proven", async () => {
    const proposal = await propose({ recipe: changed("${text} and rope") });
    const { out } = await mh(harness.server.home, [
      "functions",
      "approve",
      proven.id,
      "--proposal",
      proposal,
    ]);
    expect(out).toContain("Changed, not proven: ");
    expect((await harness.load(proven.id)).trust).toBe("draft");
  });
});

describe("a function that is written over HTTP", () => {
  it("has the steps and skills of its calls", async () => {
    const written = await harness.write({
      title: "Log a walk",
      summary: "Logs it.",
      steps: ["Delete the log (fs_delete): path = log.md"],
      skillsUsed: ["fs_delete"],
      kind: "recipe",
      recipe: {
        promptTemplates: ["log a walk"],
        actions: [{ skill: "fs_append", args: { path: "log.md", text: "walk" } }],
      },
    });
    expect(written).toMatchObject({
      steps: ["Add text at the end of a file (fs_append): path = log.md, text = walk"],
      skillsUsed: ["fs_append"],
    });
  });

  it("is refused if a step names a call that its code does not make", async () => {
    const { status, body } = await harness.owner.post("/api/functions", {
      title: "Count",
      summary: "Counts.",
      steps: ["Write a text file (fs_write): path = a.md"],
      skillsUsed: ["fs_write"],
      code: { source: "export function main() {\n  return 1;\n}\n" },
    });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      error: { message: "Step 1 names fs_write, which the code does not call." },
    });
  });
});
