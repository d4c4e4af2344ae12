import { attack } from "./attack.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "attack";

const PROBES = 4_000;

/** Requests of every kind, as everybody, to every route that the server describes. */
export function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  return attack({ seed, probes: PROBES, progress });
}
