import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import type { Bench, Row } from "./row.ts";

/** Runs the given benchmarks, or all; prints a table and writes `artifacts/bench.json`. */
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const root = join(import.meta.dirname, "../..");
const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".bench.ts"))
  .sort();

const results: { bench: string; rows: Row[] }[] = [];
for (const file of files) {
  const bench: Bench = await import(join(import.meta.dirname, file));
  if (wanted.length > 0 && !wanted.includes(bench.name)) continue;
  console.log(`\n${bench.name}`);
  const rows = await bench.run();
  for (const row of rows) console.log(lineOf(row));
  if (bench.guards === true && rows.some(isMissed)) process.exitCode = 1;
  results.push({ bench: bench.name, rows });
}
if (results.length === 0) throw new Error(`There is no bench named ${wanted.join(" or ")}.`);

const report = { at: new Date().toISOString(), commit: commit(), machine: machine(), results };
mkdirSync(join(root, "artifacts"), { recursive: true });
writeFileSync(join(root, "artifacts", "bench.json"), `${JSON.stringify(report, undefined, 2)}\n`);
console.log(
  `\nKept in artifacts/bench.json (${report.machine.processors} × ${report.machine.model}, Node ${process.version}).`,
);

function isMissed({ figure, target, least }: Row): boolean {
  return (target !== undefined && figure > target) || (least !== undefined && figure < least);
}

function lineOf(row: Row): string {
  const { what, figure, unit, target, least } = row;
  const limit =
    target !== undefined ? `at most ${shown(target)}` : least !== undefined ? `at least ${shown(least)}` : "";
  return `  ${what.padEnd(70)} ${shown(figure).padStart(10)} ${unit.padEnd(10)} ${limit}${isMissed(row) ? "  MISSED" : ""}`.trimEnd();
}

function shown(figure: number): string {
  return Number.isInteger(figure) ? String(figure) : figure.toPrecision(4);
}

function commit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: root }).toString().trim();
  } catch {
    return "unknown: not in a clone";
  }
}

function machine(): {
  processors: number;
  model: string;
  memoryMegabytes: number;
  platform: string;
  node: string;
} {
  const processors = cpus();
  return {
    processors: processors.length,
    model: processors[0]?.model.trim() ?? "unknown",
    memoryMegabytes: Math.round(totalmem() / 1e6),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}
