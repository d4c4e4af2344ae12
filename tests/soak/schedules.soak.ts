import { scheduledDays } from "./schedules.ts";
import type { SoakOptions, SoakReport } from "./soak.ts";

export const name = "schedules";

/** 400 simulated days of 30 schedules with 40 kills, alone and with two processes on one store. */
export async function run({ seed, progress }: SoakOptions): Promise<SoakReport> {
  const problems: string[] = [];
  const sentences: string[] = [];
  for (const processes of [1, 2]) {
    const { done, problems: found } = await scheduledDays({
      seed,
      from: "2026-02-01",
      days: 400,
      schedules: 30,
      kills: 40,
      processes,
    });
    const sentence = `${processes} at a time: ${done.rows} due moments, ${done.killed} kills, ${done.hoursOff} hours off`;
    progress(sentence);
    sentences.push(sentence);
    problems.push(...found.map((problem) => `${processes} at a time: ${problem}`));
  }
  return { done: `${sentences.join("; ")}.`, problems };
}
