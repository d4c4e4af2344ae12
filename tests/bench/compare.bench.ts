import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { QUESTIONS_PER_TURN } from "./compare/questions.ts";
import { lanceFolder } from "./compare/systems.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "compare";
/** A ratio that falls by more than a fifth fails the run. */
export const guards = true;

const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
const QUESTIONS = 200;

/** How many times faster than the plain fusion recall was when this was last recorded, by number of records. */
const RECORDED: Readonly<Record<number, number>> = {};
const KEPT = 0.8;

const Opened = z.object({ firstMs: z.number() });
const Answered = z.object({ durations: z.array(z.number()), found: z.int() });

interface Figures {
  firstMs: number;
  p50: number;
  p95: number;
  /** The share of questions whose text is among the results. */
  found: number;
}

/**
 * Recall beside a plain fusion of sqlite-vec and FTS5, and LanceDB where it is installed (`METAHUMAN_BENCH_LANCEDB`), each
 * in a process of its own over the same texts. They answer a few questions each in turn.
 */
export async function run(): Promise<Row[]> {
  const systems = ["ours", "plain fusion", ...(lanceFolder === undefined ? [] : ["LanceDB"])];
  const folders = await Promise.all(systems.map(() => mkdtemp(join(tmpdir(), "metahuman-compare-"))));
  try {
    for (const [at, system] of systems.entries()) await finished(start("build", system, folders[at] ?? ""));
    const figures = await askInTurns(
      systems.map((system, at) => () => start("ask", system, folders[at] ?? "")),
    );
    const [ours] = figures;
    return [
      ...systems.flatMap((system, at) => rowsOf(system, figures[at])),
      ...systems.slice(1).map((system, at): Row => {
        const recorded = system === "plain fusion" ? RECORDED[RECORDS] : undefined;
        return {
          what: `times faster than ${system}, p95`,
          figure: (figures[at + 1]?.p95 ?? NaN) / (ours?.p95 ?? NaN),
          unit: "×",
          ...(recorded !== undefined && { least: KEPT * recorded }),
        };
      }),
    ];
  } finally {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  }
}

/** Opens the systems one after the other, then lets each answer some questions in turn. */
async function askInTurns(starts: readonly (() => ChildProcess)[]): Promise<Figures[]> {
  const asked: { child: ChildProcess; firstMs: number; durations: number[]; found: number }[] = [];
  for (const begin of starts) {
    const child = begin();
    const { firstMs } = Opened.parse(await message(child));
    asked.push({ child, firstMs, durations: [], found: 0 });
  }
  for (let turn = 0; turn < QUESTIONS; turn += QUESTIONS_PER_TURN) {
    for (const one of asked) {
      one.child.send(turn);
      const { durations, found } = Answered.parse(await message(one.child));
      one.durations.push(...durations);
      one.found += found;
    }
  }
  for (const { child } of asked) {
    child.send(QUESTIONS);
    await finished(child);
  }
  return asked.map(({ firstMs, durations, found }) => ({
    firstMs,
    p50: quantile(durations, 0.5),
    p95: quantile(durations, 0.95),
    found: found / QUESTIONS,
  }));
}

function rowsOf(system: string, figures: Figures | undefined): Row[] {
  if (!figures) return [];
  const { firstMs, p50, p95, found } = figures;
  const at = `${system} at ${RECORDS}`;
  return [
    { what: `${at}: hybrid recall, median of ${QUESTIONS}`, figure: p50, unit: "ms" },
    { what: `${at}: hybrid recall, p95`, figure: p95, unit: "ms" },
    { what: `${at}: share of questions whose text is among the ten best`, figure: found, unit: "" },
    { what: `${at}: open to first answer`, figure: firstMs, unit: "ms" },
  ];
}

function start(step: "build" | "ask", system: string, folder: string): ChildProcess {
  const program = join(import.meta.dirname, "compare/measure.ts");
  return fork(program, [step, system, folder, String(RECORDS), String(QUESTIONS)], {
    env: { ...process.env, LANCEDB_LOG: "error" },
  });
}

/** Rejects when the process ends instead. */
async function message(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit").then(() => {
    throw new Error("A compared system ended before it answered.");
  });
  const [received]: unknown[] = await Promise.race([once(child, "message"), ended]);
  return received;
}

async function finished(child: ChildProcess): Promise<void> {
  const [code]: unknown[] = await once(child, "exit");
  if (code !== 0) throw new Error(`A compared system failed with code ${String(code)}.`);
}
