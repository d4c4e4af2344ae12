import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../errors/node-error.ts";

/**
 * The scope of process ids: the host name and, on Linux, the process namespace, so that containers that share a data
 * folder and a host name are distinct.
 */
export function machineName(): string {
  return `${hostname()}/${processNamespace()}`;
}

function processNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}

/** Returns false only if no process of this machine has the id. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
