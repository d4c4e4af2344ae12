import { existsSync, writeFileSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { codeOf } from "../bootstrap/error-code.mjs";

const lowest = constants.priority.PRIORITY_LOW;

/**
 * Leaves the processors to whatever else wants them: a process that was just started, and all that it will start, goes on
 * while others wait. Where the system does not let it, it is as important as any other.
 * @param {number} pid of a process that leads a session
 */
export function leaveToOthers(pid) {
  // Between sessions Linux shares by the sessions' own priorities, where it keeps them.
  const session = `/proc/${pid}/autogroup`;
  try {
    setPriority(pid, lowest);
    if (existsSync(session)) writeFileSync(session, String(lowest));
  } catch (error) {
    // It has ended already, a container forbids it, or it is one change too many for this second.
    if (codeOf(error) === "") throw error;
  }
}
