import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { fromNodeError } from "@metahuman/core/errors/node-error";

/** The text of a file that a command was given; throws an error that names it as it was written. */
export async function readInputText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw fromNodeError(error, path);
  }
}

/** The same, piece by piece. */
export async function openInputStream(path: string): Promise<Readable> {
  try {
    return (await open(resolve(path))).createReadStream();
  } catch (error) {
    throw fromNodeError(error, path);
  }
}
