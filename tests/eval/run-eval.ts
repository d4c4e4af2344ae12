import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Health } from "@metahuman/core/contract/http";
import { ModelSituation, splitModelRef, type ModelRef } from "@metahuman/core/contract/models";
import { evaluate, type EvaluateOptions, type TaskResult } from "./evaluate.ts";
import { succeeded } from "./profile.ts";
import { progressOf, summarize, summarizeByKind, type Report } from "./report.ts";
import { parseTasks, type EvalTask } from "./task-schema.ts";

export interface RunEvalOptions extends EvaluateOptions {
  model: ModelRef;
  tasks: readonly EvalTask[];
  commit: string;
  /** Other settings that affect the results. */
  settings: Record<string, unknown>;
  /** Receives a line when a task ends. */
  progress: (line: string) => void;
}

/** Returns every task of this folder, in the order of files and lines. */
export async function loadTasks(today: Date): Promise<EvalTask[]> {
  const folder = join(import.meta.dirname, "tasks");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".json")).sort();
  const tasks = await Promise.all(
    files.map(async (file) => parseTasks(JSON.parse(await readFile(join(folder, file), "utf8")), today)),
  );
  return tasks.flat();
}

/** Returns the first tasks with all kinds taking turns, so that a small number covers many kinds. */
export function spread(tasks: readonly EvalTask[], limit: number): EvalTask[] {
  const turns = Object.values(Object.groupBy(tasks, ({ kind }) => kind)).flatMap((some) =>
    some.map((task, turn) => ({ task, turn })),
  );
  return turns
    .toSorted((a, b) => a.turn - b.turn)
    .slice(0, limit)
    .map(({ task }) => task);
}

/**
 * Carries out tasks on a running server that has the model for its roles. Stops with what it has when the model goes away: from
 * then on the server would do without one.
 * @throws an Error that says what to do when the model is not there at first
 */
export async function runEval(options: RunEvalOptions): Promise<Report> {
  const { model, tasks, owner, progress } = options;
  const missing = await modelProblem(options);
  if (missing !== undefined) throw new Error(missing);
  const { version } = Health.parse(succeeded(await owner.get("/api/health")));
  const results: TaskResult[] = [];
  let problem: string | undefined;
  for (const task of tasks) {
    problem = await modelProblem(options);
    if (problem !== undefined) break;
    const result = await evaluate(task, options);
    progress(`${String(results.length + 1).padStart(2)}/${String(tasks.length)} ${progressOf(result)}`);
    results.push(result);
  }
  return {
    at: new Date().toISOString(),
    version,
    commit: options.commit,
    model,
    settings: options.settings,
    overall: summarize(results),
    byKind: summarizeByKind(results),
    tasks: results,
    ...(problem !== undefined && { problem }),
  };
}

/** Describes why the model does not answer, with advice. */
async function modelProblem({ owner, model: ref }: RunEvalOptions): Promise<string | undefined> {
  const { provider, model } = splitModelRef(ref);
  const { servers } = ModelSituation.parse(succeeded(await owner.get("/api/models?fresh=1")));
  const server = servers.find(({ id }) => id === provider);
  if (!server) return `No model server is named ${provider}. Add it to etc/models.json.`;
  if (!server.reachable)
    return `${server.problem ?? `${provider} does not answer.`} Start it, or name its address with --base-url.`;
  if (server.models.some(({ name }) => name === model || name === `${model}:latest`)) return undefined;
  const names = server.models.map(({ name }) => name).join(", ") || "none";
  return `${provider} has no model ${model}. Pull it, or choose one that is there: ${names}.`;
}
