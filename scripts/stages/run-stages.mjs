import { Failure } from "../bootstrap/main.mjs";
import { prepare, prepareSite } from "../bootstrap/prepare.mjs";
import { ensureBrowser } from "../browser/ensure.mjs";
import { runStages } from "./schedule.mjs";
import { checkSite, formatting, lint } from "./static.mjs";
import { sum } from "./tally.mjs";
import { playwright, vitest } from "./tests.mjs";

/** @typedef {import("./schedule.mjs").Stage} Stage */

/** Two heavy stages at the same time use two cores best. */
const capacity = 2;

/**
 * All stages in the order of their start.
 * @param {readonly string[]} args paths or flags for the stages that run tests
 * @returns {Stage[]}
 */
function allStages(args) {
  /** @type {string | undefined} */
  let browser;
  return [
    {
      name: "browser",
      slots: 0,
      run: async () => {
        browser = await ensureBrowser();
        return { ok: true };
      },
    },
    {
      name: "build",
      slots: 1,
      run: async () => {
        await prepareSite();
        return { ok: true };
      },
    },
    { name: "unit", slots: 1, run: () => vitest("unit", ["unit", "signals"], args) },
    { name: "site", slots: 1, run: checkSite },
    {
      name: "scenarios",
      slots: 1,
      needs: ["build"],
      run: () => vitest("scenarios", ["scenarios", "simulated-date"], args),
    },
    // Runs only beside checkers, which use one core: on a busy machine, a waiting page looks like a hanging one.
    {
      name: "e2e",
      slots: 1,
      needs: ["build", "browser"],
      after: ["unit", "scenarios"],
      run: () => playwright(browser, args),
    },
    { name: "lint", slots: 1, run: lint },
    { name: "formatting", slots: 1, run: formatting },
  ];
}

const staticStages = ["site", "lint", "formatting"];

/** Lint, formatting and types. @returns {Promise<number>} the exit code */
export async function check() {
  await prepare();
  const results = await run(staticStages, []);
  return sum(results).ok ? 0 : 1;
}

/**
 * All stages, or those named first among the arguments; what follows goes to the stages that run tests.
 * @param {string[]} args
 * @returns {Promise<number>} the exit code
 */
export async function test(args) {
  const names = allStages([]).map(({ name }) => name);
  const firstOther = args.findIndex((arg) => !names.includes(arg));
  const chosen = firstOther === -1 ? args : args.slice(0, firstOther);
  const rest = args.slice(chosen.length);
  if (chosen.length === 0 && rest.length > 0) {
    throw new Failure(`Name a stage before ${rest.join(" ")}: ${names.join(", ")}.`);
  }
  const prepared = await prepare().then(() => undefined, failureOf);
  if (prepared) process.stdout.write(`${prepared.output}\n\n`);
  const results = prepared ? [prepared] : await run(chosen.length === 0 ? names : chosen, rest);
  const { passed, failed, ok } = sum(results);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return ok ? 0 : 1;
}

/**
 * The tests that need a PostgreSQL server, which they start themselves. Not a part of all stages, because not every machine
 * has its programs.
 * @param {string[]} args paths or flags for vitest, and the size of the scenario with many people: `--people=200
 *   --runs=2000 --streams=500 --seconds=120`, and of the profile that is migrated: `--memories=10000`.
 *   The variable `CLUSTER_PROGRAMS` names the folder with the programs of another version of PostgreSQL
 * @returns {Promise<number>} the exit code
 */
export async function clusterTest(args) {
  const sizes = /^--(people|runs|streams|seconds|memories|durable)=(\d+)$/;
  for (const arg of args) {
    const [, name, value] = sizes.exec(arg) ?? [];
    if (name !== undefined) process.env[`CLUSTER_${name.toUpperCase()}`] = value;
  }
  await prepare();
  const started = performance.now();
  const result = await vitest(
    "cluster",
    ["cluster"],
    args.filter((arg) => !sizes.test(arg)),
  );
  const stage = { name: "cluster", slots: 1, run: async () => result };
  show({ stage, result, durationMs: performance.now() - started });
  if (result.tests?.passed === 0 && result.tests.skipped > 0)
    process.stdout.write(
      "PostgreSQL 14 or later, or for the search in the database pgvector, is not installed here, so the tests were skipped.\n",
    );
  return result.ok ? 0 : 1;
}

/**
 * Runs the stages of these names and those they need.
 * @param {readonly string[]} names
 * @param {readonly string[]} args
 */
async function run(names, args) {
  const stages = allStages(args).map((stage) => ({ ...stage, run: () => stage.run().catch(failureOf) }));
  const needed = stages.filter(({ name }) => names.includes(name)).flatMap(({ needs = [] }) => needs);
  const selected = stages.filter(({ name }) => names.includes(name) || needed.includes(name));
  const ended = await runStages(selected, capacity, show);
  return ended.map(({ result }) => result);
}

/**
 * @param {unknown} error
 * @returns {import("./schedule.mjs").Result}
 */
function failureOf(error) {
  if (!(error instanceof Error)) throw error;
  return { ok: false, output: error instanceof Failure ? error.message : String(error.stack) };
}

/**
 * Prints a line for each stage, followed by the output of failed stages.
 * @param {import("./schedule.mjs").Ended} ended
 */
function show({ stage, result, durationMs }) {
  const time = `${(durationMs / 1_000).toFixed(1)} s`.padStart(8);
  const line = [result.ok ? "ok  " : "FAIL", stage.name.padEnd(10), time, result.note ?? ""].join("  ");
  process.stdout.write(`${line.trimEnd()}\n`);
  if (!result.ok && result.output) process.stdout.write(`\n${result.output.trim()}\n\n`);
}
