import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../errors/node-error.ts";

/**
 * Where a process id means something: the host, and on Linux its process namespace, so that two containers which share
 * a data folder and a host name do not take each other's processes for their own.
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

/** False only when no process of this machine has the id. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}
