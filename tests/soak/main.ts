import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Soak } from "./soak.ts";

/** Runs the given soaks, or all; exits with 1 if one of them finds a problem. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "20261122" } },
});
const seed = Number(values.seed);
if (!Number.isSafeInteger(seed)) throw new Error(`A seed is a whole number, not ${values.seed}.`);

const files = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".soak.ts"))
  .sort();
let found = 0;
let ran = 0;
for (const file of files) {
  const soak: Soak = await import(join(import.meta.dirname, file));
  if (positionals.length > 0 && !positionals.includes(soak.name)) continue;
  ran += 1;
  const began = performance.now();
  console.log(`\n${soak.name} (seed ${String(seed)})`);
  const { done, problems } = await soak.run({ seed, progress: (line) => console.log(`  ${line}`) });
  console.log(`  ${done} ${String(Math.round((performance.now() - began) / 1_000))} s.`);
  for (const problem of problems) console.log(`  FOUND: ${problem}`);
  found += problems.length;
}
if (ran === 0) throw new Error(`There is no soak named ${positionals.join(" or ")}.`);
console.log(`\n${String(found)} problems found by ${String(ran)} soaks.`);
// Hanging work would keep the process alive.
process.exit(found === 0 ? 0 : 1);
