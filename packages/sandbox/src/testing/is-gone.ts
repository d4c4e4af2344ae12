import { readFileSync } from "node:fs";

/** Whether a process has ended, even if its parent has not collected its status. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform === "linux" && readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    // No process has this id.
    return true;
  }
}
