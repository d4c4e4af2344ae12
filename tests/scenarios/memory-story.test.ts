import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryDetail, MemoryPage } from "@metahuman/core/contract/answers";
import { act, openModelHarness, play, purposeOf, type ModelHarness } from "../support/model-harness.ts";

// A statement is known in later conversations: to the planner, and to a person who asks why.

let harness: ModelHarness;
beforeAll(async () => {
  harness = await openModelHarness();
});
afterAll(() => harness.close());

const HABIT = "default files go to out/drafts/";
const plan = [act("fs_write", { path: "out/drafts/test.txt", content: "" })];

async function usesOfHabit(): Promise<MemoryDetail> {
  const { items } = MemoryPage.parse(
    (await harness.owner.get("/api/memories?types=observation&limit=5")).body,
  );
  const habit = items.find(({ content }) => content.includes("out/drafts"));
  return MemoryDetail.parse((await harness.owner.get(`/api/memories/${habit?.id ?? ""}`)).body);
}

/** The prompt of the planner's first call. */
function promptText(): string {
  const first = harness.models.requests.find((request) => purposeOf(request) === "plan");
  return first?.messages.map(({ content }) => content).join("\n") ?? "";
}

describe("a habit that was stated once", () => {
  it("is remembered, reported to the planner, followed, and credited", async () => {
    await harness.set({ answer: play([act("memory_remember", { text: HABIT })]) });
    await harness.ask(`remember that ${HABIT}`);
    const before = await usesOfHabit();
    expect(before.memory).toMatchObject({ type: "observation", trust: "trusted" });
    expect(before.uses).toMatchObject({ followed: 0, cited: 0 });

    await harness.set({ answer: play(plan, "Made out/drafts/test.txt [1].") });
    const { runId, outcome } = await harness.ask("make test file for me please, wherever it belongs");
    expect(outcome).toBe("answered");
    expect(promptText()).toContain("out/drafts/");
    expect(existsSync(join(harness.profile, "out/drafts/test.txt"))).toBe(true);
    const run = await harness.run(runId);
    expect(run.context?.memories.map(({ id }) => id)).toContain(before.memory.id);
    expect((await usesOfHabit()).uses).toMatchObject({ followed: 1, cited: 1 });

    await harness.owner.post(`/api/runs/${runId}/feedback`, { verdict: "useful" });
    expect((await usesOfHabit()).uses).toMatchObject({ useful: 1 });
  });

  it("is not reported while the context package is disabled", async () => {
    const etc = { runtime: { operator: { useContextPackage: false } } };
    await harness.set({ answer: play(plan), etc });
    const { runId } = await harness.ask("make test file for me please, wherever it belongs");
    expect(promptText()).not.toContain("default files");
    expect((await harness.run(runId)).context).toBeUndefined();
  });
});
