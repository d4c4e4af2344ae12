import { open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../errors/node-error.ts";
import { GENESIS, hashLine, parseLine, dayFiles, type Head } from "./chain.ts";
import { readLines } from "./read-lines.ts";

/**
 * Returns the actual end of the log, given the recorded one. Later lines that continue the chain were written by a process
 * that died before it recorded them; they count. An incomplete line at the end was never acknowledged and is
 * removed, because the next line would be lost with it. `verify` reports anything else. Requires the
 * log's lock.
 */
export async function recoverHead(folder: string, recorded: Head | undefined, today: string): Promise<Head> {
  if (recorded && recorded.file === today && (await sizeOf(join(folder, today))) === recorded.bytes)
    return recorded;
  const files = await dayFiles(folder);
  const last = files.at(-1);
  let head = recorded ?? { seq: 0, hash: GENESIS, file: files[0] ?? today, bytes: 0 };
  let isContinuous = true;
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
        isContinuous &&= entry?.seq === head.seq + 1 && entry.previous === head.hash;
        if (isContinuous) head = { seq: head.seq + 1, hash: hashLine(line.text), file, bytes: end };
      }
    }
  }
  // The next line is appended to the newest file, even if earlier lines break the chain.
  const file = last !== undefined && last > head.file ? last : head.file;
  return { ...head, file, bytes: await endLine(join(folder, file)) };
}

/** Ends an incomplete last line with a newline, so that the next line stays readable. Returns the size. */
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
