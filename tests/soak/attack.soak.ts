import { attack } from "./attack.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "attack";

const PROBES = 4_000;

/** Sends every method of every described route as every caller, then random requests. */
export function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  return attack({ seed, probes: PROBES, everyCombination: true, progress });
}
