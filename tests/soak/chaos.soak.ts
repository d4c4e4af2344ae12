import { chaosRuns } from "./chaos.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "chaos";

const RUNS = 200;

/** Complete runs with a model that misbehaves at random. */
export async function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  const { outcomes, problems } = await chaosRuns({ seed, runs: RUNS, progress });
  const counted = Object.entries(outcomes).map(([outcome, count]) => `${String(count)} ${outcome}`);
  return { done: `${String(RUNS)} runs: ${counted.join(", ")}.`, problems };
}
