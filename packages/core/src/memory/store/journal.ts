import { open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { MemoryRecord } from "../../contract/memory.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { createFile, flushFolder, makeFolder, removeFile, replaceFile } from "./durable-file.ts";
import { parseFile } from "./file-content.ts";
import type { FiledMemory, PreparedMemory } from "./record-files.ts";

const SUBJECT = "a bulk write of memories";
/** Files written at once: more would only queue for the same disk. */
const AT_ONCE = 8;

const Journal = z.strictObject({ version: z.literal(1), records: z.array(MemoryRecord) });

/**
 * Bulk writes, all or nothing: one flushed journal holds every record before the first file is written, and is replayed
 * after a crash. Kept in `memory/journal/`, never in the index's folder, which may be deleted at any time.
 */
export interface Journals {
  readonly folder: string;
  /** From its return on, all the records will be there, whatever happens. */
  commit(name: string, memories: readonly PreparedMemory[]): Promise<void>;
  /** Writes the files that are not there yet, and again those that a crash left half-written; returns how many. */
  carryOut(memories: readonly PreparedMemory[]): Promise<number>;
  /** Flushes the files and removes the journal. A crash before that costs nothing. */
  settle(name: string, memories: readonly FiledMemory[], signal: AbortSignal): Promise<void>;
  /** What a crash left behind, oldest first. */
  unsettled(): Promise<{ name: string; records: MemoryRecord[] }[]>;
}

export interface JournalsOptions {
  root: string;
  onUnreadable: (name: string, reason: string) => void;
}

export function createJournals({ root, onUnreadable }: JournalsOptions): Journals {
  const folder = join(root, "journal");
  const fileOf = (name: string): string => join(folder, `${name}.json`);

  /** False when the file was there. */
  async function write({ path, text }: PreparedMemory): Promise<boolean> {
    try {
      // Not flushed one by one: the journal stands for them until they are.
      await writeFile(join(root, path), text, { flag: "wx" });
      return true;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw fromNodeError(error, SUBJECT);
      const content = parseFile(MemoryRecord, await readFile(join(root, path)));
      if ("value" in content) return false;
      await replaceFile(join(root, path), text, SUBJECT);
      return true;
    }
  }

  return {
    folder,
    commit: (name, memories) =>
      createFile(
        fileOf(name),
        `{"version":1,"records":[${memories.map(({ text }) => text).join(",")}]}\n`,
        SUBJECT,
      ),
    async carryOut(memories) {
      for (const made of foldersOf(root, memories)) await makeFolder(made, SUBJECT);
      const queue = memories.values();
      const writers = Array.from({ length: AT_ONCE }, async () => {
        let written = 0;
        for (const memory of queue) if (await write(memory)) written += 1;
        return written;
      });
      // All of them have stopped before a failure is told: another try must not meet them.
      await Promise.allSettled(writers);
      return (await Promise.all(writers)).reduce((sum, written) => sum + written, 0);
    },
    async settle(name, memories, signal) {
      for (const { path } of memories) {
        signal.throwIfAborted();
        await flushFile(join(root, path));
      }
      for (const made of foldersOf(root, memories)) await flushFolder(made);
      await removeFile(fileOf(name), SUBJECT);
    },
    async unsettled() {
      const found: { name: string; records: MemoryRecord[] }[] = [];
      for (const file of (await namesIn(folder)).filter((each) => each.endsWith(".json")).sort()) {
        const content = parseFile(Journal, await readFile(join(folder, file)));
        if ("reason" in content) onUnreadable(file, content.reason);
        else found.push({ name: file.slice(0, -".json".length), records: content.value.records });
      }
      return found;
    },
  };
}

function foldersOf(root: string, memories: readonly FiledMemory[]): Set<string> {
  return new Set(memories.map(({ path }) => dirname(join(root, path))));
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw fromNodeError(error, SUBJECT);
  }
}

/** One that was moved or removed meanwhile was flushed by whoever did that. */
async function flushFile(path: string): Promise<void> {
  try {
    const handle = await open(path, "r+");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw fromNodeError(error, SUBJECT);
  }
}
