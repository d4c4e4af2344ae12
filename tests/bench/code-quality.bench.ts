import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { openCodeTools } from "@metahuman/sandbox/code/open-code-tools";
import { verifyCode } from "@metahuman/sandbox/code/verify-code";
import { openSandbox } from "@metahuman/sandbox/open-sandbox";
import { brokenVariants } from "./broken-variants.ts";
import { adapted, type FunctionTask, readFunctionTasks } from "./function-tasks.ts";
import { DATA } from "./recall-quality.ts";
import type { Row } from "./row.ts";

export const name = "code-quality";

/** The time limit for mutants with an endless loop, in milliseconds; valid code ends long before. */
const WALL_MS = 1_500;

/**
 * Every labelled function against its own checks in the sandbox, as it is and broken on purpose; nothing where there is no
 * such data (`METAHUMAN_BENCH_DATA`).
 */
export async function run(): Promise<Row[]> {
  if (DATA === undefined) return [];
  const tasks = readFunctionTasks(DATA);
  const sandbox = openSandbox({ softLimit: 2 });
  const tools = openCodeTools();
  let typed = 0;

  /** Returns the problems that the host's checks find; undefined if syntax, grants and tests are valid. */
  async function problem(task: FunctionTask): Promise<string | undefined> {
    const checks = await verifyCode(
      {
        code: { language: "typescript", entry: "main", source: adapted(task), tests: task.tests, grants: [] },
        parameters: [{ name: "args", type: "list", description: "positional arguments", required: true }],
      },
      { tools, sandbox, skills: [], limits: { wallMs: 10_000 } },
    );
    const broken = checks.find(({ name: check, ok }) => !ok && check !== "types" && check !== "lint");
    if (checks.every(({ name: check, ok }) => ok || check !== "types")) typed += 1;
    return broken && `${broken.name}: ${broken.detail ?? ""}`;
  }

  /** Whether the function's own tests detect a broken variant. */
  async function fails(task: FunctionTask, source: string): Promise<boolean> {
    try {
      const compiled = await tools.compile({ source: adapted({ ...task, source }), tests: task.tests });
      await sandbox.test({
        ...compiled,
        skills: [],
        callSkill: async () => ({}),
        limits: { wallMs: WALL_MS },
      });
      return false;
    } catch (error) {
      if (error instanceof MetahumanError) return true;
      throw error;
    }
  }

  try {
    let passing = 0;
    let certain = 0;
    let certainFailing = 0;
    let mutants = 0;
    let mutantsFailing = 0;
    for (const task of tasks) {
      const reason = await problem(task);
      if (reason === undefined) passing += 1;
      else console.log(`  ${task.id} does not pass: ${reason}`);
      const variants = brokenVariants(task.entry, task.source);
      for (const variant of variants.certain) {
        certain += 1;
        if (await fails(task, variant.source)) certainFailing += 1;
        else console.log(`  ${task.id} passes although it ${variant.what}`);
      }
      for (const variant of variants.mutants) {
        mutants += 1;
        if (await fails(task, variant.source)) mutantsFailing += 1;
      }
    }
    return [
      {
        what: "canonical solutions that pass their checks",
        figure: passing,
        unit: `of ${tasks.length}`,
        least: tasks.length,
      },
      { what: "canonical solutions that type-check under strict", figure: typed, unit: `of ${tasks.length}` },
      { what: "broken variants that fail", figure: certainFailing, unit: `of ${certain}`, least: certain },
      {
        what: "single turned operators that the checks notice",
        figure: mutantsFailing,
        unit: `of ${mutants}`,
      },
    ];
  } finally {
    await Promise.all([sandbox.close(), tools.close()]);
  }
}
