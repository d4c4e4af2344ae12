import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { lanceFolder } from "./compare/systems.ts";
import type { Row } from "./row.ts";

export const name = "compare";
/** A ratio that falls by more than a fifth fails the run. */
export const guards = true;

const RECORDS = Number(process.env["METAHUMAN_BENCH_RECORDS"] ?? 10_000);
const QUESTIONS = 200;

/** How many times faster than the plain fusion recall was when this was last recorded, by number of records. */
const RECORDED: Readonly<Record<number, number>> = {};
const KEPT = 0.8;

const Figures = z.object({ firstMs: z.number(), p50: z.number(), p95: z.number(), found: z.number() });
type Figures = z.infer<typeof Figures>;

/**
 * Recall beside a plain fusion of sqlite-vec and FTS5, and LanceDB where it is installed (`METAHUMAN_BENCH_LANCEDB`), each
 * in a process of its own over the same texts.
 */
export async function run(): Promise<Row[]> {
  const ours = await measure("ours");
  const others: [system: string, figures: Figures][] = [["plain fusion", await measure("plain fusion")]];
  if (lanceFolder !== undefined) others.push(["LanceDB", await measure("LanceDB")]);
  return [
    ...rowsOf("ours", ours),
    ...others.flatMap(([system, figures]) => rowsOf(system, figures)),
    ...others.map(([system, { p95 }]): Row => {
      const recorded = system === "plain fusion" ? RECORDED[RECORDS] : undefined;
      return {
        what: `times faster than ${system}, p95`,
        figure: p95 / ours.p95,
        unit: "×",
        ...(recorded !== undefined && { least: KEPT * recorded }),
      };
    }),
  ];
}

function rowsOf(system: string, { firstMs, p50, p95, found }: Figures): Row[] {
  const at = `${system} at ${RECORDS}`;
  return [
    { what: `${at}: hybrid recall, median of ${QUESTIONS}`, figure: p50, unit: "ms" },
    { what: `${at}: hybrid recall, p95`, figure: p95, unit: "ms" },
    { what: `${at}: share of questions whose text is among the ten best`, figure: found, unit: "" },
    { what: `${at}: open to first answer`, figure: firstMs, unit: "ms" },
  ];
}

async function measure(system: string): Promise<Figures> {
  const folder = await mkdtemp(join(tmpdir(), "metahuman-compare-"));
  const step = async (what: "build" | "ask"): Promise<string> => {
    const program = join(import.meta.dirname, "compare/measure.ts");
    const args = [program, what, system, folder, String(RECORDS), String(QUESTIONS)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
    return stdout;
  };
  try {
    await step("build");
    return Figures.parse(JSON.parse(await step("ask")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
