import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { FunctionActor } from "@metahuman/core/functions/functions-port";
import { profilePaths } from "@metahuman/core/paths/profile-paths";
import { openCodeTools } from "@metahuman/sandbox/code/open-code-tools";
import { openSandbox } from "@metahuman/sandbox/open-sandbox";
import { openLibrary } from "./function-library.ts";
import { DATA } from "./function-quality.ts";
import { adapted, type FunctionTask, readFunctionTasks } from "./function-tasks.ts";
import { plainBm25 } from "./plain-bm25.ts";
import type { Row } from "./row.ts";

export const name = "function-loop";

const PERSON: FunctionActor = { by: "ada", isPerson: true, isOwner: true };

/**
 * Every labelled function saved without its description, searched for by it, loaded, and run against its own checks:
 * whether the found function does what was requested. Skipped without the data (`METAHUMAN_BENCH_DATA`).
 */
export async function run(): Promise<Row[]> {
  if (DATA === undefined) return [];
  const tasks = readFunctionTasks(DATA);
  const home = await mkdtemp(join(tmpdir(), "metahuman-bench-loop-"));
  const opened = await openLibrary(profilePaths(home, "ada"));
  const sandbox = openSandbox({ softLimit: 2 });
  const tools = openCodeTools();
  const functions = opened.functions.of();

  async function save({ entry, ...task }: FunctionTask): Promise<string> {
    const source = adapted({ entry, ...task });
    const { id } = await functions.saveFunction(
      {
        title: entry,
        summary: "",
        steps: ["Run it."],
        skillsUsed: [],
        kind: "code",
        parameters: [
          { name: "args", type: "list", description: "What it is called with, in order", required: true },
        ],
        code: { language: "typescript", entry: "main", source, tests: task.tests, grants: [] },
      },
      PERSON,
    );
    return id;
  }

  /** Whether a stored function passes the checks of the request. */
  async function does(id: string, { tests }: FunctionTask): Promise<boolean> {
    const { code } = await functions.loadFunction(id);
    try {
      const compiled = await tools.compile({ source: code?.source ?? "", tests });
      await sandbox.test({ ...compiled, skills: [], callSkill: async () => ({}) });
      return true;
    } catch (error) {
      if (error instanceof MetahumanError) return false;
      throw error;
    }
  }

  try {
    const ids: string[] = [];
    for (const task of tasks) ids.push(await save(task));
    await opened.embedded();
    const floor = plainBm25(
      tasks.map(({ entry, source }, index) => ({ id: ids[index] ?? "", text: `${entry}\n${source}` })),
    );
    const counts = { first: 0, five: 0, floorFirst: 0, floorFive: 0, runs: 0, floorRuns: 0 };
    for (const [index, task] of tasks.entries()) {
      const wanted = ids[index] ?? "";
      const { items } = await functions.queryFunctions(task.description, { limit: 5, trust: "any" });
      const found = items.map((item) => item.function.id);
      const plain = floor(task.description).slice(0, 5);
      if (found[0] === wanted) counts.first += 1;
      if (found.includes(wanted)) counts.five += 1;
      if (plain[0] === wanted) counts.floorFirst += 1;
      if (plain.includes(wanted)) counts.floorFive += 1;
      if (found[0] !== undefined && (await does(found[0], task))) counts.runs += 1;
      if (plain[0] !== undefined && (await does(plain[0], task))) counts.floorRuns += 1;
    }
    const share = (count: number) => count / tasks.length;
    return [
      {
        what: "saved, found first: hit@1",
        figure: share(counts.first),
        unit: "",
        least: share(counts.floorFirst),
      },
      {
        what: "saved, found among five: hit@5",
        figure: share(counts.five),
        unit: "",
        least: share(counts.floorFive),
      },
      {
        what: "found first, loaded, run: stands the checks of what was asked",
        figure: counts.runs,
        unit: `of ${tasks.length}`,
        least: counts.floorRuns,
      },
    ];
  } finally {
    await Promise.all([sandbox.close(), tools.close(), opened.close()]);
    await rm(home, { recursive: true, force: true });
  }
}
