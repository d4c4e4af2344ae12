import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FunctionMemory } from "@metahuman/core/contract/function";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openModelHarness, purposeOf, type ModelHarness } from "../support/model-harness.ts";
import type { ChatScript, SeenRequest } from "../support/model-server/script.ts";

// A replay executes the request. If the request also asks a question, its answer contains the result.

const SPENDING = {
  title: "Sum the travel costs of a table",
  summary: "Adds up what was spent on travel and saves the sum.",
  steps: ["Read the table", "Work out the sum", "Save it"],
  skillsUsed: ["fs_read", "conversational_response", "fs_write"],
  kind: "recipe",
  parameters: [
    { name: "path", type: "string", description: "The table", required: true },
    { name: "path2", type: "string", description: "The file for the sum", required: true },
  ],
  examples: [
    {
      prompt: "how much did i spend on travel in october.csv? put the total in travel-oct.txt",
      parameters: { path: "october.csv", path2: "travel-oct.txt" },
    },
  ],
  recipe: {
    promptTemplates: ["how much did i spend on travel in {path}? put the total in {path2}"],
    actions: [
      { skill: "fs_read", args: { path: "${path}" }, expect: [] },
      {
        skill: "conversational_response",
        args: { goal: "The sum of the travel costs, as a number.", context: "${steps.1.content}" },
        expect: [],
      },
      { skill: "fs_write", args: { path: "${path2}", content: "${steps.2.response}" }, expect: [] },
    ],
  },
};
const CSV = "date,category,amount\n2026-11-02,travel,60.00\n2026-11-05,food,20.50\n2026-11-09,travel,12.00\n";

let harness: ModelHarness;
let functionId = "";
beforeAll(async () => {
  harness = await openModelHarness();
  await mkdir(join(harness.profile, "out"), { recursive: true });
  await writeFile(join(harness.profile, "out/november.csv"), CSV);
  const created = await harness.owner.post("/api/functions", SPENDING);
  functionId = z.object({ function: FunctionMemory }).parse(created.body).function.id;
  await harness.owner.post("/api/functions/promote", { id: functionId, reason: "Looked through." });
});
afterAll(() => harness.close());

const composes = ({ messages }: SeenRequest): boolean =>
  messages[0]?.content.startsWith("You write one text") ?? false;
const chooses = ({ messages }: SeenRequest): boolean =>
  messages[0]?.content.startsWith("You decide whether") ?? false;
/** A model that chooses the function with this file, composes the sum, and answers like this. */
const saying =
  (path2: string, answer: (request: SeenRequest) => ChatScript) =>
  (request: SeenRequest): ChatScript => {
    if (chooses(request))
      return { json: { function: functionId, values: { path: "november.csv", path2 }, because: "" } };
    if (composes(request)) return { say: "72.00" };
    return purposeOf(request) === "answer" ? answer(request) : { fault: "server-error" };
  };

describe("a replay of a request that asks a question", () => {
  it("is answered by the model from the results of the replay", async () => {
    await harness.set({
      answer: saying("sum-1.txt", () => ({ say: "You spent 72.00 on travel in November [1]." })),
    });
    const answer = await harness.ask(
      "how much did i spend on travel in november.csv? put the total in sum-1.txt",
    );
    expect(answer).toMatchObject({
      outcome: "answered",
      planner: "replay",
      usage: { planningCalls: 0 },
      actions: ["fs_read", "fs_write"],
    });
    expect(answer.result).toContain("You spent 72.00 on travel in November");
    expect(answer.result).toContain("sum-1.txt");
    expect(answer.result).not.toContain("not confirmed");
    expect(await readFile(join(harness.profile, "out/sum-1.txt"), "utf8")).toBe("72.00");
  });

  it("has its wrong answer returned, and stays a replay", async () => {
    let answered = 0;
    await harness.set({
      answer: saying("sum-2.txt", () => ({
        say: `You spent ${(answered += 1) === 1 ? "84.50" : "72.00"} on travel [1].`,
      })),
    });
    const answer = await harness.ask(
      "how much did i spend on travel in november.csv? put the total in sum-2.txt",
    );
    expect(answer).toMatchObject({ outcome: "answered", planner: "replay", usage: { planningCalls: 0 } });
    expect(answer.result).toContain("You spent 72.00 on travel");
    expect(answer.result).not.toContain("84.50");
  });

  it("states the composed text when the model does not answer", async () => {
    await harness.set({ answer: saying("sum-3.txt", () => ({ fault: "server-error" })) });
    const { result, planner } = await harness.ask(
      "how much did i spend on travel in november.csv? put the total in sum-3.txt",
    );
    expect(planner).toBe("replay");
    expect(result).toContain("72.00");
    expect(result).toContain("sum-3.txt");
  });
});
