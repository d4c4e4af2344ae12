import { attack } from "./attack.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "attack";

const PROBES = 4_000;

/** Every method of every route that the server describes, as every caller, then requests of every kind at random. */
export function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  return attack({ seed, probes: PROBES, everyCombination: true, progress });
}
