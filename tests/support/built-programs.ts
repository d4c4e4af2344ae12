import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { serve } from "../../apps/site/src/server/http/serve.ts";
import type { runCommand } from "../../packages/cli/src/run-command.ts";

/** The folder of the programs that `npm start` and `mh` run. */
export const PROGRAMS = join(import.meta.dirname, "../../apps/site/dist/server/programs");

const load = async (name: string): Promise<unknown> => import(pathToFileURL(join(PROGRAMS, name)).href);
const isFunction = (value: unknown): boolean => typeof value === "function";

/** The server's `serve` function, to run in this process. */
export async function builtServe(): Promise<typeof serve> {
  return z.object({ serve: z.custom<typeof serve>(isFunction) }).parse(await load("serve.mjs")).serve;
}

/** The `runCommand` function of `mh`, to run in this process. */
export async function builtRunCommand(): Promise<typeof runCommand> {
  const Module = z.object({ runCommand: z.custom<typeof runCommand>(isFunction) });
  return Module.parse(await load("run-command.mjs")).runCommand;
}
