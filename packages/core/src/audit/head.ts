import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { systemCode } from "../errors/node-error.ts";

/**
 * The end of the log, stored in `head.json` beside the day files. It is written after its lines are on disk:
 * after a crash it may lag behind them but is never ahead, so a log that ends before it has lost lines.
 */
export const Head = z.strictObject({
  seq: z.int().nonnegative(),
  hash: z.string(),
  file: z.string(),
  /** The file's size when its last line was written. */
  bytes: z.int().nonnegative(),
});
export type Head = z.infer<typeof Head>;

/** Reads the recorded end; undefined if it is missing or unreadable. */
export async function readHead(folder: string): Promise<Head | undefined> {
  try {
    return Head.safeParse(JSON.parse(await readFile(join(folder, "head.json"), "utf8"))).data;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the recorded end. Requires the log's lock. */
export async function writeHead(folder: string, head: Head): Promise<void> {
  const unfinished = join(folder, "head.json.tmp");
  await writeFile(unfinished, `${JSON.stringify(head)}\n`, { mode: 0o600 });
  await rename(unfinished, join(folder, "head.json"));
}
