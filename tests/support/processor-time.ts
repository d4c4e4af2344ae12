import { readFile } from "node:fs/promises";

/** Ticks of the clock by which Linux counts processor time, in a second. */
const TICKS = 100;

/**
 * The processor time that processes have taken so far, with that of their ended children, in milliseconds. 0 where
 * Linux does not report it.
 */
export async function processorTime(pids: readonly number[]): Promise<number> {
  let ticks = 0;
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // The name of the program, in brackets, may contain spaces. Its own time and that of its children are fields 14 to
    // 17.
    const parts = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 15);
    for (const part of parts) ticks += Number(part);
  }
  return (ticks * 1_000) / TICKS;
}
