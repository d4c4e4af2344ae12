import { describe, expect, it } from "vitest";
import { believeExitCode, countPlaywright, countVitest, sum } from "./tally.mjs";

describe("vitest's report", () => {
  const report = (testResults: unknown[], passed: number, failed: number) =>
    JSON.stringify({
      numPassedTests: passed,
      numFailedTests: failed,
      numPendingTests: 4,
      numTodoTests: 1,
      testResults,
    });

  it("counts passed, failed and skipped tests", () => {
    const file = { status: "failed", assertionResults: [{ status: "failed" }, { status: "passed" }] };
    expect(countVitest(report([file], 1, 1))).toEqual({ passed: 1, failed: 1, skipped: 5 });
  });

  it("counts a file that fails to load as one failure", () => {
    const broken = { status: "failed", message: "no such module", assertionResults: [] };
    const halfBroken = { status: "failed", assertionResults: [{ status: "passed" }] };
    expect(countVitest(report([broken, halfBroken], 1, 0))).toEqual({ passed: 1, failed: 2, skipped: 5 });
  });

  it("is rejected in an unknown form", () => {
    expect(() => countVitest("{}")).toThrow(TypeError);
    expect(() => countVitest("[")).toThrow(SyntaxError);
  });
});

describe("Playwright's report", () => {
  it("counts errors outside of tests as failures, and tests that pass on retry as passed", () => {
    const stats = { expected: 7, unexpected: 2, flaky: 1, skipped: 3 };
    expect(countPlaywright(JSON.stringify({ stats, errors: [{ message: "no tests" }] }))).toEqual({
      passed: 8,
      failed: 3,
      skipped: 3,
    });
  });
});

describe("an exit code", () => {
  const counts = { passed: 3, skipped: 1 };

  it("adds a failure if the program failed without a failed test", () => {
    expect(believeExitCode({ ...counts, failed: 0 }, 1)).toEqual({ ...counts, failed: 1 });
    expect(believeExitCode({ ...counts, failed: 2 }, 1)).toEqual({ ...counts, failed: 2 });
    expect(believeExitCode({ ...counts, failed: 0 }, 0)).toEqual({ ...counts, failed: 0 });
  });
});

describe("the sum", () => {
  const unit = { ok: true, tests: { passed: 10, failed: 0, skipped: 1 } };

  it("adds the tests; a successful stage without tests adds nothing", () => {
    expect(sum([{ ok: true }, unit, { ok: true, tests: { passed: 5, failed: 0, skipped: 1 } }])).toEqual({
      passed: 15,
      failed: 0,
      ok: true,
    });
  });

  it("counts a failed stage once, and not again what could not run because of it", () => {
    const notRun = { ok: false, note: "not run: build failed" };
    expect(sum([{ ok: false, output: "build broke" }, notRun, unit])).toEqual({
      passed: 10,
      failed: 1,
      ok: false,
    });
  });

  it("counts the failures of a stage with tests as they are", () => {
    expect(sum([{ ok: false, tests: { passed: 1, failed: 3, skipped: 1 } }, unit])).toEqual({
      passed: 11,
      failed: 3,
      ok: false,
    });
  });

  it("is not successful if no test ran", () => {
    expect(sum([{ ok: true, tests: { passed: 0, failed: 0, skipped: 1 } }]).ok).toBe(false);
    expect(sum([{ ok: true }]).ok).toBe(true);
  });
});
