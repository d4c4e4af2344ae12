import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApprovalPage, GrantPage, OperatorPending } from "@metahuman/core/contract/http";
import { Run } from "@metahuman/core/contract/run";
import { seededRandom } from "../bench/statistics.ts";
import { mhProcess } from "../support/cli.ts";
import { openModelHarness, type ModelHarness } from "../support/model-harness.ts";
import { chaosModel, pick, type Random } from "./chaos-model.ts";

export interface ChaosOptions {
  seed: number;
  runs: number;
  /** Receives the progress every 25 runs. */
  progress?: (line: string) => void;
}

export interface ChaosReport {
  /** The number of runs with each outcome. */
  outcomes: Record<string, number>;
  /** Violations of what must always hold. */
  problems: string[];
}

/** The time after which a run counts as hanging, in milliseconds. Each fault of the model ends within two seconds. */
const HANGS_AFTER_MS = 90_000;
const FOLDERS = ["out", "inbox"];
const preciousIn = (folder: string): string => `what must not be lost from ${folder}`;
const FLAGS = [
  {},
  { reactV2: false },
  { useReasoningService: true },
  { useContextPackage: false, useReasoningService: true },
  { useFunctions: false, reactV2: false },
];

/**
 * Runs whole requests over the real server with a model that misbehaves at random: faults, nonsense, hostile and misspelled
 * calls. Approvals and questions are denied, or the run is cancelled. Reports every run that does not end typed, every
 * record that cannot be read back, and every side effect that policy or a person forbade.
 */
export async function chaosRuns({ seed, runs, progress }: ChaosOptions): Promise<ChaosReport> {
  const harness = await openModelHarness({ answer: chaosModel(seed) });
  const report: ChaosReport = { outcomes: {}, problems: [] };
  try {
    const watched = await prepare(harness);
    for (let run = 0; run < runs; run += 2) {
      if (run % 10 === 0)
        await harness.configure("runtime", { operator: FLAGS[(run / 10) % FLAGS.length] ?? {} });
      const pair = [run, run + 1].filter((number) => number < runs);
      await Promise.all(pair.map((number) => oneRun(number, seed, harness, report)));
      if (run % 25 < 2) progress?.(`${String(run)} of ${String(runs)} runs`);
    }
    await harness.restart();
    await inspectWhatIsLeft(harness, watched, report);
  } finally {
    await harness.close();
  }
  return report;
}

/** Creates files that no run may change without approval; nothing is ever approved here. */
async function prepare(harness: ModelHarness): Promise<Map<string, string>> {
  // A silent server is given up soon, or the test would take hours.
  await harness.configure("models", {
    providers: { ollama: { kind: "ollama", baseUrl: harness.models.url } },
    limits: { firstByteMs: 400, silenceMs: 400, totalMs: 5_000 },
  });
  for (const folder of FOLDERS)
    await writeFile(join(harness.profile, folder, "precious.md"), preciousIn(folder));
  const paths = ["profile.json", "persona/core.json"];
  const texts = await Promise.all(
    paths.map((path) => readFile(join(harness.profile, path), "utf8").catch(() => "")),
  );
  return new Map(paths.map((path, index) => [path, texts[index] ?? ""]));
}

async function oneRun(
  number: number,
  seed: number,
  harness: ModelHarness,
  report: ChaosReport,
): Promise<void> {
  const random = seededRandom(seed * 7_919 + number);
  const { body } = await harness.owner.post("/api/operator", {
    goal: `get the things of chaos ${String(number)} into shape somehow`,
    background: true,
    reasoningDepth: Math.floor(random() * 4),
  });
  const { runId } = OperatorPending.parse(body);
  const until = Date.now() + HANGS_AFTER_MS;
  while (Date.now() < until) {
    const answer = await harness.owner.get(`/api/runs/${runId}`);
    const run = Run.safeParse(answer.body);
    if (!run.success)
      return void report.problems.push(`run ${String(number)} cannot be read: ${run.error.message}`);
    if (run.data.status === "ended") return settle(run.data, number, report);
    if (run.data.status === "waiting") await refuse(run.data, random, harness);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  report.problems.push(`run ${String(number)} hangs: ${runId}`);
}

/** A person who never approves anything: denies, answers evasively, or stops the run. */
async function refuse({ id, pending }: Run, random: Random, harness: ModelHarness): Promise<void> {
  if (random() < 0.2) await harness.owner.post(`/api/runs/${id}/cancel`);
  else if (pending?.kind === "question")
    await harness.owner.post(`/api/runs/${id}/answer`, {
      text: pick(["no", "perhaps", "yes to all"], random),
    });
  else if (pending)
    await harness.owner.post(`/api/approvals/${pending.approvalId}`, { decision: "deny", reason: "no" });
}

function settle(run: Run, number: number, { outcomes, problems }: ChaosReport): void {
  const { outcome, error, result = "", scratchpad } = run;
  if (!outcome) return void problems.push(`run ${String(number)} ended without an outcome`);
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  if (outcome === "failed" && !error) problems.push(`run ${String(number)} failed without a reason`);
  if (error?.code === "UNEXPECTED_ERROR") problems.push(`run ${String(number)}: ${error.message}`);
  if (outcome !== "cancelled" && result.trim() === "") problems.push(`run ${String(number)} said nothing`);
  for (const { step, action, observation } of scratchpad) {
    const where = `run ${String(number)}, step ${String(step)} (${action?.tool ?? "none"})`;
    if (outcome !== "cancelled" && !observation && action) problems.push(`${where} was not observed`);
    if (observation?.error?.code === "UNEXPECTED_ERROR")
      problems.push(`${where}: ${observation.error.message}`);
  }
}

async function inspectWhatIsLeft(
  harness: ModelHarness,
  watched: ReadonlyMap<string, string>,
  { problems }: ChaosReport,
): Promise<void> {
  for (const [path, before] of watched) {
    const after = await readFile(join(harness.profile, path), "utf8").catch(() => "(gone)");
    if (after !== before) problems.push(`${path} was changed to: ${after.slice(0, 80)}`);
  }
  // Moving a file into out/ and appending to a file need no approval; removing a text does.
  const left = await textsIn(FOLDERS.map((folder) => join(harness.profile, folder)));
  for (const folder of FOLDERS)
    if (!left.some((text) => text.startsWith(preciousIn(folder))))
      problems.push(`${folder}/precious.md is lost`);
  if (GrantPage.parse((await harness.owner.get("/api/grants")).body).items.length > 0)
    problems.push("a standing permission came about");
  const waiting = ApprovalPage.parse((await harness.owner.get("/api/approvals?status=pending")).body);
  if (waiting.total > 0) problems.push(`${String(waiting.total)} approvals still wait`);
  const { code, out } = await mhProcess(harness.home, ["audit", "verify"]);
  if (code !== 0) problems.push(`the audit log does not hold: ${out}`);
}

/** Returns the text of every file in these folders and below. */
async function textsIn(folders: readonly string[]): Promise<string[]> {
  const entries = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  );
  const files = entries.flat().filter((entry) => entry.isFile());
  return Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), "utf8")));
}
