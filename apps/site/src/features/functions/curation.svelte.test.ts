import { FunctionName } from "@metahuman/core/contract/function";
import type { CallStage } from "@metahuman/core/contract/run";
import { describe, expect, it } from "vitest";
import { nameFrom, progressSentence } from "./curation.svelte.ts";

describe("a function's name", () => {
  it.each([
    ["Count the words of every note", "count-words-note"],
    ["  Résumé: größte Zahl!  ", "resume-gro-te-zahl"],
    ["the, and of it", ""],
    ["日本語", ""],
    [`${"x".repeat(80)} y`, "x".repeat(64)],
  ])("is derived from the request: %j", (request, name) => {
    expect(nameFrom(request)).toBe(name);
    if (name !== "") expect(FunctionName.safeParse(name).success).toBe(true);
  });
});

describe("the progress of the curator", () => {
  const stage = (name: string, state: CallStage["state"]): CallStage => ({ name, state });

  it("names the current stage, and a repeated attempt", () => {
    const progress = (...stages: CallStage[]) => progressSentence({ phase: "at-work", stages });
    expect(progress()).toBe("Starting…");
    expect(progress(stage("gather", "done"), stage("write", "begun"))).toContain("Writing code");
    expect(progress(stage("write", "done"), stage("verify", "begun"))).toContain("running the tests");
    const retry = [stage("write", "done"), stage("verify", "failed"), stage("write", "begun")];
    expect(progress(...retry)).toBe("Fixing what failed…");
  });

  it("ends with the outcome, and never claims a change if there is none", () => {
    for (const phase of ["unpublished", "cancelled", "failed"] as const)
      expect(progressSentence({ phase, stages: [] })).toMatch(/Nothing (was published or )?changed/);
    expect(progressSentence({ phase: "published", stages: [] })).toContain("Review it");
  });
});
