import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryDetail, MemoryPage } from "@metahuman/core/contract/answers";
import { act, openModelStage, play, purposeOf, type ModelStage } from "../support/model-stage.ts";

// A statement is known in later conversations: to the planner, and to a person who asks why.

let stage: ModelStage;
beforeAll(async () => {
  stage = await openModelStage();
});
afterAll(() => stage.close());

const HABIT = "default files go to out/drafts/";
const plan = [act("fs_write", { path: "out/drafts/test.txt", content: "" })];

async function usesOfHabit(): Promise<MemoryDetail> {
  const { items } = MemoryPage.parse((await stage.owner.get("/api/memories?types=observation&limit=5")).body);
  const habit = items.find(({ content }) => content.includes("out/drafts"));
  return MemoryDetail.parse((await stage.owner.get(`/api/memories/${habit?.id ?? ""}`)).body);
}

/** The prompt of the planner's first call. */
function promptText(): string {
  const first = stage.models.requests.find((request) => purposeOf(request) === "plan");
  return first?.messages.map(({ content }) => content).join("\n") ?? "";
}

describe("a habit that was stated once", () => {
  it("is remembered, reported to the planner, followed, and credited", async () => {
    await stage.set({ answer: play([act("memory_remember", { text: HABIT })]) });
    await stage.ask(`remember that ${HABIT}`);
    const before = await usesOfHabit();
    expect(before.memory).toMatchObject({ type: "observation", trust: "trusted" });
    expect(before.uses).toMatchObject({ followed: 0, cited: 0 });

    await stage.set({ answer: play(plan, "Made out/drafts/test.txt [1].") });
    const { runId, outcome } = await stage.ask("make test file for me please, wherever it belongs");
    expect(outcome).toBe("answered");
    expect(promptText()).toContain("out/drafts/");
    expect(existsSync(join(stage.profile, "out/drafts/test.txt"))).toBe(true);
    const run = await stage.run(runId);
    expect(run.context?.memories.map(({ id }) => id)).toContain(before.memory.id);
    expect((await usesOfHabit()).uses).toMatchObject({ followed: 1, cited: 1 });

    await stage.owner.post(`/api/runs/${runId}/feedback`, { verdict: "useful" });
    expect((await usesOfHabit()).uses).toMatchObject({ useful: 1 });
  });

  it("is not reported while the context package is disabled", async () => {
    const etc = { runtime: { operator: { useContextPackage: false } } };
    await stage.set({ answer: play(plan), etc });
    const { runId } = await stage.ask("make test file for me please, wherever it belongs");
    expect(promptText()).not.toContain("default files");
    expect((await stage.run(runId)).context).toBeUndefined();
  });
});
