import { open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { openFileLock, type FileLock } from "../database/file-lock.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import { flushFolder, makeFolder } from "../files/durable-file.ts";
import {
  linkEntry,
  prepareEntry,
  dayFile,
  type Head,
  readHead,
  writeHead,
  GENESIS,
  hashLine,
  parseLine,
  dayFiles,
} from "./chain.ts";
import type { AuditSigning, SignedHead } from "./signing.ts";
import { readLines } from "./read-lines.ts";

type Prepared = Omit<AuditEntry, "seq" | "previous">;

interface PendingLine {
  prepared: Prepared;
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * The maximum number of lines per write, a few milliseconds of work. 200 lines at once take 11 ms of processor time, and 138 ms with
 * one line per write (2026-11-27).
 */
export const MAX_BATCH = 100;

export interface AuditWriter {
  /** Resolves when the line is on disk. */
  append(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends to the chain in `folder`. Lines that arrive during a flush share the next one, so that a burst costs
 * two writes instead of one per line. Calls `onWrite` after each flush.
 */
export function createWriter(
  folder: string,
  clock: () => Date,
  onWrite: () => void,
  signing?: AuditSigning,
): AuditWriter {
  let lock: FileLock | undefined;
  const pending: PendingLine[] = [];
  let flushing: Promise<void> | undefined;
  let isClosed = false;

  async function flushAll(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.splice(0, MAX_BATCH);
      try {
        lock ??= await openLock(folder);
        await lock.hold(() =>
          writeBatch(
            folder,
            batch.map(({ prepared }) => prepared),
            clock(),
            signing,
          ),
        );
        for (const { done } of batch) done();
        onWrite();
      } catch (error) {
        const reason = fromNodeError(error, "the audit log");
        for (const { failed } of batch) failed(reason);
      }
    }
    flushing = undefined;
  }

  return {
    async append(event) {
      if (isClosed) throw new ConflictError("The audit log is closed.");
      const prepared = prepareEntry(event, clock());
      await new Promise<void>((done, failed) => {
        pending.push({ prepared, done, failed });
        flushing ??= flushAll();
      });
    },
    async close() {
      isClosed = true;
      await flushing;
      lock?.close();
    },
  };
}

async function openLock(folder: string): Promise<FileLock> {
  await makeFolder(folder, "the audit log");
  return openFileLock(join(folder, "lock"), "the audit log");
}

async function writeBatch(
  folder: string,
  batch: readonly Prepared[],
  now: Date,
  signing: AuditSigning | undefined,
): Promise<void> {
  const recorded = await readHead(folder);
  const signed = await signing?.read();
  // The signed end takes precedence over the recorded one, so that removed lines stay detectable.
  const trustedEnd = signed === undefined || signed.status === "invalid" ? recorded : endOf(signed.head);
  const end = await recoverHead(folder, trustedEnd, dayFile(now));
  // A clock that was set back does not append to an earlier day, because files are read in the order of their names.
  const file = dayFile(now) > end.file ? dayFile(now) : end.file;
  const at = file === end.file ? end.bytes : 0;

  let link = { seq: end.seq, hash: end.hash };
  const lines: string[] = [];
  const notices = [
    ...(recorded === undefined && end.seq > 0 ? [endWasLost(now)] : []),
    ...(signed?.status === "invalid" ? [prepareEntry({ event: "audit_signature_invalid" }, now)] : []),
  ];
  for (const prepared of [...notices, ...batch]) {
    const forged = linkEntry(prepared, link);
    lines.push(`${forged.line}\n`);
    link = forged.link;
  }
  const bytes = Buffer.from(lines.join(""));
  await appendDurably(folder, file, bytes, at);
  const head = { ...link, file, bytes: at + bytes.length };
  await writeHead(folder, head);
  await signing?.write(head, signed?.head.since ?? end.seq + 1);
}

function endOf({ seq, hash, file, bytes }: SignedHead): Head {
  return { seq, hash, file, bytes };
}

/** Records that `head.json` was missing although the log has lines. */
function endWasLost(now: Date): Prepared {
  return prepareEntry(
    {
      event: "audit_end_lost",
      details: { note: "head.json was missing; lines may have been removed before this one" },
    },
    now,
  );
}

async function appendDurably(folder: string, file: string, bytes: Buffer, at: number): Promise<void> {
  const path = join(folder, file);
  const handle = await open(path, "a", 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.datasync();
  } catch (error) {
    // A partial batch is removed, because its callers get the original error.
    await handle.truncate(at).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  // A new file's name is as lasting as its content only once its folder is flushed.
  if (at === 0) await flushFolder(folder);
}

/**
 * Returns the actual end of the log, given the recorded one. Later lines that continue the chain were written by a process
 * that died before it recorded them; they count. An incomplete line at the end was never acknowledged and is
 * removed, because the next line would be lost with it. `verify` reports anything else. Requires the
 * log's lock.
 */
async function recoverHead(folder: string, recorded: Head | undefined, today: string): Promise<Head> {
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
