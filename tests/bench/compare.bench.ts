import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { QUESTIONS_PER_TURN } from "./compare/questions.ts";
import { systems } from "./compare/systems.ts";
import type { Row } from "./row.ts";
import { quantile } from "./statistics.ts";

export const name = "compare";
/** A ratio that falls by more than a fifth fails the run. */
export const guards = true;

const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
/** The folder for built data, to be reused by the next run; by default, a folder of this run. */
const KEPT_IN = process.env["METAHUMAN_BENCH_FOLDER"];
const QUESTIONS = 200;

/**
 * The recorded ratio of the other system's processor time to that of recall, by number of records. Other work on the
 * machine affects it less than durations.
 */
const RECORDED: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  "plain fusion": { 10_000: 3.3, 100_000: 8.4 },
  "LanceDB, exact vectors": { 10_000: 6.6, 100_000: 19.9 },
};
const KEPT = 0.8;
/** The minimum share of questions whose text recall finds, so that speed does not reduce quality. */
const MIN_FOUND = 0.97;

const Opened = z.object({ firstMs: z.number(), firstProcessorMs: z.number() });
const Answered = z.object({ durations: z.array(z.number()), processorMs: z.number(), found: z.int() });

interface Figures {
  firstMs: number;
  /** The processor time from opening to the first answer, of all threads. */
  firstProcessorMs: number;
  p50: number;
  p95: number;
  /** The median of the first question of each turn, which another program preceded. */
  firstOfTurn: number;
  /** The processor time of a question in each turn, of all threads. */
  processorMs: readonly number[];
  /** The share of questions whose text is among the results. */
  found: number;
}

/**
 * Recall beside a plain fusion of sqlite-vec and FTS5, and LanceDB where it is installed (`METAHUMAN_BENCH_LANCEDB`), each
 * in a process of its own over the same texts. They answer a few questions each in turn.
 */
export async function run(): Promise<Row[]> {
  const names = Object.keys(systems);
  const base = KEPT_IN ?? (await mkdtemp(join(tmpdir(), "metahuman-compare-")));
  const folderOf = (system: string): string => join(base, `${system.replaceAll(/\W+/gu, "-")}-${RECORDS}`);
  try {
    for (const system of names) await build(system, folderOf(system));
    const figures = await askInTurns(names.map((system) => () => start("ask", system, folderOf(system))));
    const [ours] = figures;
    return [
      ...names.flatMap((system, index) => rowsOf(system, figures[index])),
      ...names.slice(1).flatMap((system, index): Row[] => {
        const recorded = RECORDED[system]?.[RECORDS];
        const other = figures[index + 1];
        return [
          {
            what: `times faster than ${system}, p95`,
            figure: (other?.p95 ?? NaN) / (ours?.p95 ?? NaN),
            unit: "×",
          },
          {
            what: `times less processor time than ${system}, median of the turns`,
            figure: medianRatio(other?.processorMs ?? [], ours?.processorMs ?? []),
            unit: "×",
            ...(recorded !== undefined && { least: KEPT * recorded }),
          },
        ];
      }),
    ];
  } finally {
    if (KEPT_IN === undefined) await rm(base, { recursive: true, force: true });
  }
}

/** Builds a system's data unless the folder has it from an earlier run. */
async function build(system: string, folder: string): Promise<void> {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  await finished(start("build", system, unfinished));
  await rename(unfinished, folder);
}

/** Opens the systems one after the other, then asks each some questions in turn. */
async function askInTurns(starts: readonly (() => ChildProcess)[]): Promise<Figures[]> {
  const asked: {
    child: ChildProcess;
    firstMs: number;
    firstProcessorMs: number;
    durations: number[];
    processorMs: number[];
    found: number;
  }[] = [];
  for (const begin of starts) {
    const child = begin();
    const opened = Opened.parse(await message(child));
    asked.push({ child, ...opened, durations: [], processorMs: [], found: 0 });
  }
  for (let turn = 0; turn < QUESTIONS; turn += QUESTIONS_PER_TURN) {
    for (const one of asked) {
      one.child.send(turn);
      const { durations, processorMs, found } = Answered.parse(await message(one.child));
      one.durations.push(...durations);
      one.processorMs.push(processorMs / durations.length);
      one.found += found;
    }
  }
  for (const { child } of asked) {
    child.send(QUESTIONS);
    await finished(child);
  }
  return asked.map(({ firstMs, firstProcessorMs, durations, processorMs, found }) => ({
    firstMs,
    firstProcessorMs,
    p50: quantile(durations, 0.5),
    p95: quantile(durations, 0.95),
    firstOfTurn: quantile(
      durations.filter((_duration, index) => index % QUESTIONS_PER_TURN === 0),
      0.5,
    ),
    processorMs,
    found: found / QUESTIONS,
  }));
}

function rowsOf(system: string, figures: Figures | undefined): Row[] {
  if (!figures) return [];
  const { firstMs, firstProcessorMs, p50, p95, firstOfTurn, processorMs, found } = figures;
  const at = `${system} at ${RECORDS}`;
  return [
    { what: `${at}: hybrid recall, median of ${QUESTIONS}`, figure: p50, unit: "ms" },
    { what: `${at}: hybrid recall, p95`, figure: p95, unit: "ms" },
    {
      what: `${at}: the first of ${QUESTIONS_PER_TURN} after another system, median`,
      figure: firstOfTurn,
      unit: "ms",
    },
    {
      what: `${at}: processor time of a recall, median of the turns`,
      figure: quantile(processorMs, 0.5),
      unit: "ms",
    },
    {
      what: `${at}: share of questions whose text is among the ten best`,
      figure: found,
      unit: "",
      ...(system === "ours" && { least: MIN_FOUND }),
    },
    { what: `${at}: open to first answer`, figure: firstMs, unit: "ms" },
    { what: `${at}: processor time of that`, figure: firstProcessorMs, unit: "ms" },
  ];
}

/**
 * The median of the ratios of two figures by turn. The same work can take two or three times as much processor time from one minute
 * to the next, but the figures of one turn were measured within a second, and single turns do not count.
 */
function medianRatio(figures: readonly number[], others: readonly number[]): number {
  if (figures.length === 0) return NaN;
  return quantile(
    figures.map((figure, turn) => figure / (others[turn] ?? NaN)),
    0.5,
  );
}

function start(step: "build" | "ask", system: string, folder: string): ChildProcess {
  const program = join(import.meta.dirname, "compare/measure.ts");
  return fork(program, [step, system, folder, String(RECORDS), String(QUESTIONS)], {
    env: { ...process.env, LANCEDB_LOG: "error" },
  });
}

/** Rejects when the process ends instead. */
async function message(child: ChildProcess): Promise<unknown> {
  const answered = new AbortController();
  const ended = once(child, "exit", { signal: answered.signal }).then(() => {
    throw new Error("A compared system ended before it answered.");
  });
  try {
    const [received]: unknown[] = await Promise.race([once(child, "message"), ended]);
    return received;
  } finally {
    answered.abort();
    await Promise.allSettled([ended]);
  }
}

async function finished(child: ChildProcess): Promise<void> {
  const [code]: unknown[] = await once(child, "exit");
  if (code !== 0) throw new Error(`A compared system failed with code ${String(code)}.`);
}
