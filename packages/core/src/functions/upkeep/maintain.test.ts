import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { successBound } from "./success-bound.ts";
import type { OpenedFunctions } from "../open-functions.ts";
import { ADA, createTestFunctions, SANDWICH, type TestFunctions } from "../testing/open-test-functions.ts";
import { analyzeFunctions } from "./analytics.ts";
import { maintain } from "./maintain.ts";

let test: TestFunctions;
let opened: OpenedFunctions;
beforeEach(async () => {
  test = await createTestFunctions();
  opened = await test.open();
});
afterEach(() => test.remove());

const DAY_MS = 86_400_000;
const clock = () => new Date("2026-11-21T00:00:00.000Z");

it("is uncertain after few runs", () => {
  expect(successBound({ successes: 0, executions: 0 })).toBe(0);
  expect(successBound({ successes: 1, executions: 1 })).toBeCloseTo(0.207, 3);
  expect(successBound({ successes: 12, executions: 13 })).toBeCloseTo(0.667, 2);
  expect(successBound({ successes: 1_000, executions: 1_000 })).toBeLessThan(1);
});

/** As after an import: failures that were counted elsewhere. */
async function countFailure(functionId: string, run: number): Promise<void> {
  await opened.evidence.record(
    { functionId, runId: `run-${String(run)}`, outcome: "failed" },
    clock().toISOString(),
  );
}

describe("upkeep", () => {
  it("disables failing functions and proposes to merge duplicates, after it records their evidence", async () => {
    const functions = opened.functions.of();
    const kept = await functions.saveFunction(SANDWICH, ADA);
    await functions.promoteFunction(kept.id, ADA);
    const duplicate = { ...SANDWICH, examples: [{ prompt: "make a soup file" }] };
    const repeated = await functions.saveFunction(duplicate, ADA);
    const failing = await functions.saveFunction({ ...SANDWICH, title: "Water the plants" }, ADA);
    for (let run = 0; run < 5; run += 1) await countFailure(failing.id, run);

    const parts = { functions, root: test.paths.memory.functions, clock };
    const report = await maintain(parts, ADA, { dryRun: true });
    expect(report.findings.map(({ kind, functionId, done }) => [kind, functionId, done])).toEqual([
      ["failing", failing.id, false],
      ["duplicate", repeated.id, false],
    ]);
    expect((await functions.loadFunction(failing.id)).status).toBe("active");

    const done = await maintain(parts, ADA, { dryRun: false });
    expect(done.findings.every((finding) => finding.done)).toBe(true);
    expect(await functions.loadFunction(failing.id)).toMatchObject({
      status: "disabled",
      statusReason: "It worked 0 of 5 times.",
    });
    const [proposal] = await functions.listProposals(kept.id, "pending");
    expect(proposal).toMatchObject({
      origin: "merge",
      content: { examples: [{ prompt: "make sandwich file" }, { prompt: "make a soup file" }] },
    });
    const snapshot: unknown = JSON.parse(
      await readFile(join(test.paths.memory.functions, done.snapshot ?? ""), "utf8"),
    );
    expect(snapshot).toMatchObject({
      functions: expect.arrayContaining([expect.objectContaining({ id: failing.id, status: "active" })]),
    });
  });

  it("continues if a function was deleted meanwhile", async () => {
    const functions = opened.functions.of();
    const failing = await Promise.all(
      ["Water the plants", "Feed the cat"].map((title) =>
        functions.saveFunction({ ...SANDWICH, title }, ADA),
      ),
    );
    for (const { id } of failing) for (let run = 0; run < 5; run += 1) await countFailure(id, run);
    const [gone, left] = (await functions.listFunctions({ limit: 10, sort: "created" })).items;
    const meanwhile: typeof functions = {
      ...functions,
      async listFunctions(query) {
        const page = await functions.listFunctions(query);
        await functions.deleteFunction(gone?.id ?? "", ADA);
        return page;
      },
    };
    const parts = { functions: meanwhile, root: test.paths.memory.functions, clock };
    const { findings } = await maintain(parts, ADA, { dryRun: false });
    expect(findings.map(({ functionId, done }) => [functionId, done])).toEqual([
      [gone?.id, false],
      [left?.id, true],
    ]);
    expect((await functions.loadFunction(left?.id ?? "")).status).toBe("disabled");
  });

  it("reports functions that nobody used for a long time, and does not change them", async () => {
    const functions = opened.functions.of();
    await functions.saveFunction(SANDWICH, ADA);
    const later = {
      functions,
      root: test.paths.memory.functions,
      clock: () => new Date(clock().getTime() + 100 * DAY_MS),
    };
    const { findings, snapshot } = await maintain(later, ADA, { dryRun: false });
    expect(findings).toMatchObject([{ kind: "unused", action: "none", done: false }]);
    expect(snapshot).toBeUndefined();
  });
});

it("counts the calls that a function saved against the run it was learned from", async () => {
  const functions = opened.functions.of();
  const { id } = await functions.saveFunction(SANDWICH, ADA, {
    origin: "learned",
    sourceOperatorRunId: "run-source",
  });
  const use = { functionId: id, planningCalls: 0, tokens: 100 } as const;
  await functions.recordFunctionUse({ ...use, runId: "run-a", outcome: "succeeded" });
  await functions.recordFunctionUse({ ...use, runId: "run-b", outcome: "succeeded" });
  await functions.recordFunctionUse({ ...use, runId: "run-c", outcome: "failed" });
  await functions.recordFunctionUse({ functionId: id, runId: "run-d", outcome: "offered" });
  const figures = await analyzeFunctions(
    { functions, evidence: opened.evidence, costOf: async () => ({ planningCalls: 3, tokens: 1_000 }) },
    { since: "2026-01-01T00:00:00.000Z" },
  );
  expect(figures.functions).toMatchObject([
    { id, offered: 4, used: 3, succeeded: 2, failed: 1, planningCallsSaved: 6, tokensSaved: 1_800 },
  ]);
  expect(figures.functions[0]?.days).toEqual([{ day: "2026-11-20", used: 3, failed: 1 }]);
});
