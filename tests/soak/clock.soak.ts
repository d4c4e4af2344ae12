import { simulatedDays } from "./clock.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "clock";

/** Three simulated days of one profile. */
export async function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  const { done, problems } = await simulatedDays({ seed, hours: 72, progress });
  const counted = Object.entries(done).map(([what, count]) => `${String(count)} ${what}`);
  return { done: `72 hours: ${counted.join(", ")}.`, problems };
}
