import { readFileSync } from "node:fs";

/** Whether a process is gone, or only waits to be counted out by whoever adopted it. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === "linux" && readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    // There is no such process.
    return true;
  }
}
