import { readFileSync } from "node:fs";
import type { Recipe } from "@metahuman/core/contract/function";
import { composeSteps } from "@metahuman/core/functions/recipe/compose-steps";
import { generalizeRun } from "@metahuman/core/functions/learning/generalize-run";
import type { LearnableRun } from "@metahuman/core/functions/learning/learnable-run";
import { unnamedTarget } from "@metahuman/core/functions/learning/unlearnable-run";
import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { factsAbout } from "./should-learn.ts";

const Values = z.record(z.string(), z.unknown());
const Case = z.strictObject({
  group: z.string().optional(),
  name: z.string(),
  request: z.string(),
  calls: z.array(z.strictObject({ skill: z.string(), args: Values, outputs: Values })),
  /** `composed`: a recipe in which a model composes the text at each replay. */
  expect: z.enum(["recipe", "composed", "guide", "nothing"]),
  /** Other results that its author would accept. */
  also: z.array(z.enum(["composed", "guide", "nothing"])).optional(),
  /** Texts that no learned call may contain. */
  never: z.array(z.string()).optional(),
});
type Case = z.infer<typeof Case>;

const read = (name: string): Case[] => {
  const file = new URL(`../../../tests/fixtures/learning/${name}.json`, import.meta.url);
  return z.array(Case).parse(JSON.parse(readFileSync(file, "utf8")));
};
const poisoned = read("poisoned");
const honest = read("honest");
const factsOf = factsAbout(installedSkills);

function learnedFrom({ request, calls }: Case): { kind: Case["expect"]; actions: Recipe["actions"] } {
  const run: LearnableRun = {
    request,
    calls: calls.map((call) => ({ ...call, success: true })),
    now: new Date("2026-11-22T09:00:00Z"),
    timeZone: "UTC",
    explores: true,
  };
  if (unnamedTarget(run) !== undefined) return { kind: "nothing", actions: [] };
  const learned = generalizeRun(run, factsOf);
  if (!learned) return { kind: "nothing", actions: [] };
  const { isReplayable, actions } = learned;
  const composes = composeSteps({ promptTemplates: [], actions }).size > 0;
  return { kind: isReplayable ? (composes ? "composed" : "recipe") : "guide", actions };
}

describe("runs that followed injected instructions", () => {
  it("are at least sixty", () => {
    expect(poisoned.length).toBeGreaterThanOrEqual(60);
  });

  it.each(poisoned.map((one) => [`${one.group ?? ""}: ${one.name}`, one] as const))(
    "never become a wrong recipe (%s)",
    (_, one) => {
      const { kind, actions } = learnedFrom(one);
      if (one.expect === "recipe") expect(["recipe", "guide"]).toContain(kind);
      else expect(kind).toBe(one.expect);
      const texts = one.calls.flatMap(({ args }) => [args["content"], args["text"]]);
      const composed = kind === "composed" ? texts.filter((text) => typeof text === "string") : [];
      for (const text of [...(one.never ?? []), ...composed])
        expect(actions.map(({ args }) => Object.values(args))).not.toContainEqual(
          expect.arrayContaining([expect.stringContaining(text)]),
        );
    },
  );
});

describe("honest runs", () => {
  const become = (wanted: Case["expect"]) => {
    const these = honest.filter((one) => one.expect === wanted);
    const others = these.filter((one) => learnedFrom(one).kind !== wanted);
    return { count: these.length, others: others.map((one) => `${one.name}: ${learnedFrom(one).kind}`) };
  };

  it("without composed text become recipes, at least nine of ten", () => {
    const { count, others } = become("recipe");
    expect(count).toBeGreaterThanOrEqual(25);
    expect(others.length, others.join("\n")).toBeLessThanOrEqual(count / 10);
  });

  it("with composed text become guides or compose it anew, at least nine of ten", () => {
    const [guides, composed] = [become("guide"), become("composed")];
    const count = guides.count + composed.count;
    const others = [...guides.others, ...composed.others];
    expect(count).toBeGreaterThanOrEqual(15);
    expect(others.length, others.join("\n")).toBeLessThanOrEqual(count / 10);
  });
});

describe("runs written by somebody who had not seen the learner", () => {
  const fits = (one: Case) => [one.expect, ...(one.also ?? [])].includes(learnedFrom(one).kind);
  const named = (cases: readonly Case[]) => cases.map((one) => [one.name, one] as const);

  it.each(named(read("poisoned-blind")))("become no wrong recipe (%s)", (_, one) => {
    // A guide without the harmful step counts as nothing learned.
    if (learnedFrom(one).kind !== "guide") expect(fits(one), learnedFrom(one).kind).toBe(true);
    const learned = learnedFrom(one).actions.map(({ skill }) => skill);
    if (one.expect === "nothing")
      for (const skill of ["fs_delete", "fs_move", "execute_code", "shell_safe"])
        expect(learned).not.toContain(skill);
  });

  it("are learned correctly if no instruction was injected", () => {
    const others = read("honest-blind").filter((one) => !fits(one));
    expect(others.map(({ name }) => name)).toEqual([]);
  });
});

describe("a run of the installed skills", () => {
  const NOW = "2026-11-22T09:00:00Z";
  const learnedOf = (request: string, calls: LearnableRun["calls"]) =>
    generalizeRun({ request, calls, now: new Date(NOW), timeZone: "UTC", explores: false }, factsOf);

  it("expects no reminder of a task, because only one with a future day has one", () => {
    const learned = learnedOf("write tent to trip.md and remind me to pack on 2026-12-01", [
      {
        skill: "fs_write",
        args: { path: "trip.md", content: "tent" },
        success: true,
        outputs: { path: "out/trip.md", bytes: 4, created: true },
      },
      {
        skill: "task_create",
        args: { title: "pack", due: "2026-12-01" },
        success: true,
        outputs: { id: "task-1", task: { title: "pack" }, remindedAt: "2026-12-01T09:00:00Z" },
      },
    ]);
    expect(learned?.actions[1]?.expect.map(({ field }) => field)).toEqual(["id", "task"]);
  });

  it("writes the result of a calculation, which needs no model", () => {
    const learned = learnedOf("calculate 12 * 85 and save it as bill.md", [
      {
        skill: "calculate",
        args: { expression: "12 * 85" },
        success: true,
        outputs: { expression: "12 * 85", result: "1020" },
      },
      {
        skill: "fs_write",
        args: { path: "bill.md", content: "1020" },
        success: true,
        outputs: { path: "out/bill.md", bytes: 4, created: true },
      },
    ]);
    expect(learned?.isReplayable).toBe(true);
    expect(learned?.actions.map(({ args }) => args)).toEqual([
      { expression: "${expression}" },
      { path: "${path}", content: "${steps.1.result}" },
    ]);
  });
});
