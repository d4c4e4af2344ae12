import { open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { GENESIS, hashLine, parseLine } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import type { Head } from "./head.ts";
import { readLines } from "./read-lines.ts";

/**
 * The true end of the log, given the end that was noted. Lines after it that continue the chain were written by a process
 * that died before it could note them: they count. Half a line at the very end was never acknowledged to anybody and is
 * cut off, or the next line would be lost with it. Anything else is left for `verify` to report. Only while holding the
 * log's lock.
 */
export async function catchUp(folder: string, noted: Head | undefined, today: string): Promise<Head> {
  if (noted && noted.file === today && (await sizeOf(join(folder, today))) === noted.bytes) return noted;
  const files = await dayFiles(folder);
  const last = files.at(-1);
  let head = noted ?? { seq: 0, hash: GENESIS, file: files[0] ?? today, bytes: 0 };
  let follows = true;
  for (const file of files.filter((name) => name >= head.file)) {
    let end = file === head.file ? head.bytes : 0;
    for await (const lines of readLines(join(folder, file), end)) {
      for (const line of lines) {
        if (!line.complete) {
          if (file === last) await truncate(join(folder, file), end);
          continue;
        }
        end = line.end;
        const entry = parseLine(line.text);
        follows &&= entry?.seq === head.seq + 1 && entry.previous === head.hash;
        if (follows) head = { seq: head.seq + 1, hash: hashLine(line.text), file, bytes: end };
      }
    }
  }
  // The next line goes to the newest file's end even where what stands before it does not fit the chain.
  const file = last !== undefined && last > head.file ? last : head.file;
  return { ...head, file, bytes: await endLine(join(folder, file)) };
}

/** Gives a line that somebody cut in half its newline, so that it does not take the next one with it; returns the size. */
async function endLine(path: string): Promise<number> {
  const size = await sizeOf(path);
  if (size === 0) return 0;
  const handle = await open(path, "a+");
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 });
    if (buffer.toString() === "\n") return size;
    await handle.writeFile("\n");
    return size + 1;
  } finally {
    await handle.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return 0;
    throw error;
  }
}
