import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A labelled function: a source with positional parameters, and its tests. */
const Task = z.object({
  id: z.string(),
  entry: z.string(),
  description: z.string(),
  source: z.string(),
  tests: z.string(),
  types: z.enum(["strict", "loose", "none"]),
});
export type FunctionTask = z.infer<typeof Task>;

/** Reads `typescript-functions-dev` under `folder`. */
export function readFunctionTasks(folder: string): FunctionTask[] {
  return readFileSync(join(folder, "typescript-functions-dev/tasks.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Task.parse(JSON.parse(line)));
}

/** Converts a labelled function: `main` takes one object, whose `args` are the positional arguments. */
export function adapted({ entry, source }: FunctionTask): string {
  return `${source}
export function main({ args }: { args: any[] }) {
  return ${entry}.apply(undefined, args as Parameters<typeof ${entry}>);
}`;
}
