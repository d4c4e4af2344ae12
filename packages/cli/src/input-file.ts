import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { fromNodeError } from "@metahuman/core/errors/node-error";

/** Reads a text file. Errors name the path as the user wrote it. */
export async function readInputText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw fromNodeError(error, path);
  }
}

/** Opens a file as a stream. Errors name the path as the user wrote it. */
export async function openInputStream(path: string): Promise<Readable> {
  try {
    return (await open(resolve(path))).createReadStream();
  } catch (error) {
    throw fromNodeError(error, path);
  }
}
