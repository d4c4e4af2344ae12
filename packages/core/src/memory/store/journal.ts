import {
  closeSync,
  fsync,
  openSync,
  readFile as readWithCallback,
  writeFile as writeWithCallback,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { MemoryRecord } from "../../contract/memory.ts";
import { fromNodeError, systemCode } from "../../errors/node-error.ts";
import { createFile, flushFolder, makeFolder, removeFile, replaceFile } from "../../files/durable-file.ts";
import { parseFile } from "../../files/file-content.ts";
import type { StoredMemory, PreparedMemory } from "./record-files.ts";

const SUBJECT = "a bulk write of memories";
/** The number of parallel file writes. */
const PARALLEL_WRITES = 8;
/** The number of parallel flushes: a file system combines them into fewer writes, and other work needs threads, too. */
const PARALLEL_FLUSHES = 2;
/** These take less processor time than the functions of `fs/promises` (two thirds for a write), and there may be 100 000 files. */
const writeFile = promisify(writeWithCallback);
const readFile = promisify(readWithCallback);
const flush = promisify(fsync);

const Journal = z.strictObject({ version: z.literal(1), records: z.array(MemoryRecord) });

/**
 * Write-ahead journals for bulk writes: a flushed journal contains every record before the first file is written, and is
 * replayed after a crash. They are in `memory/journal/`, because the index folder may be deleted at any time.
 */
export interface Journals {
  readonly folder: string;
  /** Writes the journal. Once it resolves, all records survive a crash. */
  commit(name: string, memories: readonly PreparedMemory[]): Promise<void>;
  /** Writes the files that are missing or that a crash left incomplete; returns their number. */
  writeFiles(memories: readonly PreparedMemory[]): Promise<number>;
  /** Flushes the files, then removes the journal. Waits for `whenIdle` before each file. Rejects with the signal's reason. */
  flush(
    name: string,
    memories: readonly StoredMemory[],
    { whenIdle, signal }: { whenIdle: () => Promise<void>; signal: AbortSignal },
  ): Promise<void>;
  /** The journals that a crash left, oldest first. */
  pending(): Promise<{ name: string; records: MemoryRecord[] }[]>;
}

export interface JournalsOptions {
  root: string;
  onUnreadable: (name: string, reason: string) => void;
}

export function createJournals({ root, onUnreadable }: JournalsOptions): Journals {
  const folder = join(root, "journal");
  const fileOf = (name: string): string => join(folder, `${name}.json`);

  /** Returns false if a valid file exists. */
  async function write({ path, text }: PreparedMemory): Promise<boolean> {
    try {
      // Not flushed here: the journal makes the write durable.
      await writeFile(join(root, path), text, { flag: "wx" });
      return true;
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw fromNodeError(error, SUBJECT);
      const found = await readFile(join(root, path));
      if (found.equals(Buffer.from(text)) || "value" in parseFile(MemoryRecord, found)) return false;
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
    async writeFiles(memories) {
      for (const path of foldersOf(root, memories)) await makeFolder(path, SUBJECT);
      let written = 0;
      await inParallel(memories, PARALLEL_WRITES, async (memory) => {
        if (await write(memory)) written += 1;
      });
      return written;
    },
    async flush(name, memories, { whenIdle, signal }) {
      const aborted = new Promise<void>((resolve) =>
        signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      await inParallel(memories, PARALLEL_FLUSHES, async ({ path }) => {
        await Promise.race([whenIdle(), aborted]);
        signal.throwIfAborted();
        await flushFile(join(root, path));
      });
      for (const path of foldersOf(root, memories)) await flushFolder(path);
      await removeFile(fileOf(name), SUBJECT);
    },
    async pending() {
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

/** Calls `work` for each item, for at most `concurrency` items at a time. Waits for the calls that have begun before it throws. */
async function inParallel<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const workers = Array.from({ length: concurrency }, async () => {
    for (const item of queue) await work(item);
  });
  await Promise.allSettled(workers);
  await Promise.all(workers);
}

function foldersOf(root: string, memories: readonly StoredMemory[]): Set<string> {
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

/**
 * Ignores a file that was moved or removed meanwhile; that operation flushed it. Only flushing is awaited: a file handle of
 * `fs/promises` takes twice the processor time on the main thread.
 */
async function flushFile(path: string): Promise<void> {
  try {
    const file = openSync(path, "r+");
    try {
      await flush(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw fromNodeError(error, SUBJECT);
  }
}
