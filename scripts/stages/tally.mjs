/** @typedef {import("./schedule.mjs").Counts} Counts */

/**
 * Counts the tests in vitest's JSON report. A file that could not be loaded has no failed test, so it counts as one failure.
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
 * Counts the tests in Playwright's JSON report. Errors outside of tests count as failures. A test that passed when it was
 * retried (if `playwright.config.ts` allows it) counts as passed.
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
 * Combines the counts of a report with the exit code: a non-zero exit code without a failed test (a crash, an unhandled
 * error, no test found) counts as one failure.
 *
 * @param {Counts} counts
 * @param {number} exitCode
 * @returns {Counts}
 */
export function believeExitCode(counts, exitCode) {
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/**
 * Adds up all stages. A stage without tests adds one failure if it fails. A stage that did not run, because one that it needs
 * failed, adds nothing.
 *
 * @param {readonly import("./schedule.mjs").Result[]} results
 * @returns {{ passed: number, failed: number, ok: boolean }} also not ok if stages with tests ran no test
 */
export function sum(results) {
  const withTests = results.flatMap(({ tests }) => tests ?? []);
  const failedStages = results.filter(({ ok, tests, note }) => !ok && !tests && !note?.startsWith("not run"));
  const passed = withTests.reduce((total, counts) => total + counts.passed, 0);
  const failed = withTests.reduce((total, counts) => total + counts.failed, failedStages.length);
  const hasRunNothing = withTests.length > 0 && passed + failed === 0;
  return { passed, failed, ok: results.every(({ ok }) => ok) && failed === 0 && !hasRunNothing };
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
