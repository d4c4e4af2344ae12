/** @typedef {import("./schedule.mjs").Counts} Counts */

/**
 * Counts from vitest's JSON report. A file that could not even be loaded holds no test that failed, and is counted as
 * one itself.
 *
 * @param {string} json
 * @returns {Counts}
 */
export function countVitest(json) {
  const report = asObject(JSON.parse(json));
  const brokenFiles = asList(report.testResults).filter((file) => {
    const { status, assertionResults } = asObject(file);
    return (
      status === "failed" && !asList(assertionResults).some((test) => asObject(test).status === "failed")
    );
  });
  return {
    passed: asCount(report.numPassedTests),
    failed: asCount(report.numFailedTests) + brokenFiles.length,
    skipped: asCount(report.numPendingTests) + asCount(report.numTodoTests),
  };
}

/**
 * Counts from Playwright's JSON report; errors outside of any test count as failures, a test that passed when it was tried
 * again (where that is allowed: playwright.config.ts) as passed.
 * @param {string} json
 * @returns {Counts}
 */
export function countPlaywright(json) {
  const report = asObject(JSON.parse(json));
  const stats = asObject(report.stats);
  return {
    passed: asCount(stats.expected) + asCount(stats.flaky),
    failed: asCount(stats.unexpected) + asList(report.errors).length,
    skipped: asCount(stats.skipped),
  };
}

/**
 * What a run of tests says when its report and its exit code are both believed: a bad ending without a failed test
 * (a crash, an unhandled error, no test found) is one failure.
 *
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
export function believeExitCode(counts, exitCode) {
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/**
 * All stages together. A stage without tests adds nothing when it succeeds, and one failure when it does not; a stage
 * that was not run because of another adds nothing to that other's failure.
 *
 * @param {readonly import("./schedule.mjs").Result[]} results
 * @returns {{ passed: number, failed: number, ok: boolean }} not ok, too, when stages with tests ran without a single one
 */
export function sum(results) {
  const withTests = results.flatMap(({ tests }) => tests ?? []);
  const failedStages = results.filter(({ ok, tests, note }) => !ok && !tests && !note?.startsWith("not run"));
  const passed = withTests.reduce((total, counts) => total + counts.passed, 0);
  const failed = withTests.reduce((total, counts) => total + counts.failed, failedStages.length);
  const nothingRan = withTests.length > 0 && passed + failed === 0;
  return { passed, failed, ok: results.every(({ ok }) => ok) && failed === 0 && !nothingRan };
}

/** @param {unknown} value @returns {Record<string, unknown>} */
function asObject(value) {
  if (typeof value !== "object" || value === null) throw new TypeError("The report has an unknown format.");
  return Object.fromEntries(Object.entries(value));
}

/** @param {unknown} value @returns {unknown[]} */
function asList(value) {
  if (!Array.isArray(value)) throw new TypeError("The report lacks a list.");
  return value;
}

/** @param {unknown} value */
function asCount(value) {
  if (typeof value !== "number") throw new TypeError("The report lacks a count.");
  return value;
}
