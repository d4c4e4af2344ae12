import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";
import { artifacts, caches } from "../bootstrap/paths.mjs";
import { program } from "./program.mjs";
import { believeExitCode, countPlaywright, countVitest } from "./tally.mjs";

/** @typedef {import("./schedule.mjs").Result} Result */

/**
 * @param {string} name of the stage, and of its report
 * @param {readonly string[]} projects as named in vitest.config.ts
 * @param {readonly string[]} args paths or flags for vitest
 * @returns {Promise<Result>}
 */
export async function vitest(name, projects, args) {
  const report = freshReport(name);
  const flags = [
    "--allowOnly=false",
    ...projects.flatMap((project) => ["--project", project]),
    ...["--reporter=minimal", "--reporter=json", `--outputFile.json=${report}`, "--silent=passed-only"],
  ];
  // Each thread that a test starts reads the same sources.
  const environment = { ...temporaryFiles(), NODE_COMPILE_CACHE: join(caches, "compile") };
  const run = await program("vitest", ["run", ...flags, ...args], environment);
  return resultOf(run, report, countVitest);
}

/**
 * @param {string | undefined} browser the program to drive; Playwright's own when there is none
 * @param {readonly string[]} args paths or flags for Playwright
 * @returns {Promise<Result>}
 */
export async function playwright(browser, args) {
  const report = freshReport("e2e");
  const run = await program("playwright", ["test", "--forbid-only", "--reporter=dot,json", ...args], {
    ...temporaryFiles(),
    CHROME_PATH: browser,
    // Playwright sets it for its workers, and warns if it is set already.
    NO_COLOR: undefined,
    PLAYWRIGHT_JSON_OUTPUT_FILE: report,
  });
  return resultOf(run, report, countPlaywright);
}

/** Linux's disk in memory. */
const MEMORY = "/dev/shm";
/** Bytes that must be free there, and in memory as a whole, before it is used. */
const FREE_BYTES = 4 * 2 ** 30;

/**
 * The variable that puts the temporary files of tests into memory, where Linux has enough that is free and programs may be started:
 * on a disk, tests wait for it a third of their time. Nothing if a folder was chosen, or where memory is scarce.
 * @param {string} [memory]
 * @param {NodeJS.ProcessEnv} [environment]
 * @returns {{ TMPDIR?: string }}
 */
export function temporaryFiles(memory = MEMORY, environment = process.env) {
  if (environment.TMPDIR || !existsSync(memory)) return {};
  const { bavail, bsize } = statfsSync(memory);
  if (Math.min(bavail * bsize, freemem()) < FREE_BYTES) return {};
  const folder = mkdtempSync(join(memory, "metahuman-tests-"));
  // Tests give up their rights and go on in folders below it.
  chmodSync(folder, 0o755);
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Otherwise, a test that a program is not started could not fail.
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
  return spawnSync(program).status === 0 ? { TMPDIR: folder } : {};
}

/** Removes the last report of a stage, and returns the path for a new one. @param {string} name */
function freshReport(name) {
  const report = join(artifacts, "results", `${name}.json`);
  rmSync(report, { force: true });
  return report;
}

/**
 * @param {{ ok: boolean, code: number, output: string }} run
 * @param {string} report
 * @param {(json: string) => import("./schedule.mjs").Counts} count
 * @returns {Result}
 */
function resultOf(run, report, count) {
  const reported = existsSync(report)
    ? count(readFileSync(report, "utf8"))
    : { passed: 0, failed: 0, skipped: 0 };
  const tests = believeExitCode(reported, run.code);
  const note = [
    `${tests.passed} passed`,
    ...(tests.failed > 0 ? [`${tests.failed} failed`] : []),
    ...(tests.skipped > 0 ? [`${tests.skipped} skipped`] : []),
  ].join(", ");
  return { ok: run.ok && tests.failed === 0, note, tests, output: run.output };
}
