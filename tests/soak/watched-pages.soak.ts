import { seededRandom } from "../bench/statistics.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";
import { changeAfterKill, type KillMoment } from "./watched-pages.ts";

export const name = "watched-pages";

const RANDOM_MOMENTS = 12;

/** Kills a server while it checks a page that changed: at four chosen moments, and at random ones. */
export async function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  const random = seededRandom(seed);
  const moments: KillMoment[] = [
    { point: "request", afterMs: 0 },
    ...[0, 15, 60].map((afterMs): KillMoment => ({ point: "answer", afterMs })),
    ...Array.from({ length: RANDOM_MOMENTS }, (): KillMoment => ({
      point: random() < 0.5 ? "request" : "answer",
      afterMs: Math.floor(random() * 100),
    })),
  ];
  const problems: string[] = [];
  for (const moment of moments) {
    const when = `${String(moment.afterMs)} ms after the ${moment.point}`;
    problems.push(...(await changeAfterKill(moment)).map((problem) => `${when}: ${problem}`));
    progress(`killed ${when}`);
  }
  return { done: `${String(moments.length)} kills.`, problems };
}
