import { existsSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { codeOf } from "../bootstrap/error-code.mjs";

const lowest = constants.priority.PRIORITY_LOW;

/**
 * Leaves the processors to whatever else wants them: a process that was just started, and all that it will start, goes on
 * while others wait.
 * @param {number} pid of a process that leads a session
 */
export function leaveToOthers(pid) {
  setPriority(pid, lowest);
  // Between sessions Linux shares by the sessions' own priorities, where it keeps them.
  const session = `/proc/${pid}/autogroup`;
  if (!existsSync(session)) return;
  try {
    writeFileSync(session, String(lowest));
  } catch (error) {
    // Linux lets people change one at a time, a few in a second: this one is as important as any other.
    if (codeOf(error) !== "EAGAIN") throw error;
  }
}
