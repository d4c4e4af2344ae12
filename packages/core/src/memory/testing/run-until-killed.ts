import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/**
 * Runs one of the programs in `test-processes/` and kills it (SIGKILL) at `extraMs` milliseconds after its line number
 * `lines`. Returns all complete lines.
 */
export async function runUntilKilled(
  program: string,
  args: readonly string[],
  { lines, extraMs }: { lines: number; extraMs: number },
): Promise<string[]> {
  const child = spawn(
    process.execPath,
    [new URL(`../test-processes/${program}`, import.meta.url).pathname, ...args],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const output: string[] = [];
  const exited = once(child, "exit");
  let isKilling = false;
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(line);
    if (output.length < lines || isKilling) continue;
    isKilling = true;
    setTimeout(() => child.kill("SIGKILL"), extraMs);
  }
  await exited;
  if (child.signalCode !== "SIGKILL") throw new Error(`${program} ended by itself`);
  return output;
}
