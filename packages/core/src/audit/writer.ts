import { open } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { openFileLock, type FileLock } from "../database/file-lock.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { flushFolder, makeFolder } from "../memory/store/durable-file.ts";
import { catchUp } from "./catch-up.ts";
import { forge, prepare } from "./chain.ts";
import { dayFile } from "./day-files.ts";
import { type Head, readHead, writeHead } from "./head.ts";
import type { AuditSigning, SignedHead } from "./signing.ts";

type Prepared = Omit<AuditEntry, "seq" | "previous">;

interface Waiting {
  prepared: Prepared;
  done: () => void;
  failed: (error: unknown) => void;
}

/** Lines put together at one go: some milliseconds of work at most. */
const MAX_BATCH = 100;

export interface AuditWriter {
  /** Resolves once the line is on disk. */
  append(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends to the chain in `folder`. Lines that come while others are being flushed share the next flush: a burst costs
 * two writes, not one each. `written` is told after each flush.
 */
export function createWriter(
  folder: string,
  clock: () => Date,
  written: () => void,
  signing?: AuditSigning,
): AuditWriter {
  let lock: FileLock | undefined;
  const waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let closed = false;

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH);
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
        written();
      } catch (error) {
        const reason = fromNodeError(error, "the audit log");
        for (const { failed } of batch) failed(reason);
      }
    }
    flushing = undefined;
  }

  return {
    async append(event) {
      if (closed) throw new ConflictError("The audit log is closed.");
      const prepared = prepare(event, clock());
      await new Promise<void>((done, failed) => {
        waiting.push({ prepared, done, failed });
        flushing ??= flushAll();
      });
    },
    async close() {
      closed = true;
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
  const noted = await readHead(folder);
  const signed = await signing?.read();
  // The signed end counts more than the note beside the log: lines that no longer lead to it stay visible as removed.
  const trusted = signed === undefined || signed.standing === "invalid" ? noted : endOf(signed.head);
  const end = await catchUp(folder, trusted, dayFile(now));
  // A clock that was set back does not send lines into a day that is over: files are read in the order of their names.
  const file = dayFile(now) > end.file ? dayFile(now) : end.file;
  const at = file === end.file ? end.bytes : 0;

  let link = { seq: end.seq, hash: end.hash };
  const lines: string[] = [];
  const notices = [
    ...(noted === undefined && end.seq > 0 ? [endWasLost(now)] : []),
    ...(signed?.standing === "invalid" ? [prepare({ event: "audit_signature_invalid" }, now)] : []),
  ];
  for (const prepared of [...notices, ...batch]) {
    const forged = forge(prepared, link);
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

/** Where the log ended was not noted although it has lines: somebody removed the note. The chain itself remembers. */
function endWasLost(now: Date): Prepared {
  return prepare(
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
    // Half a batch must not stay: its callers are told that it failed, and why is what counts.
    await handle.truncate(at).catch(() => undefined);
    throw error;
  } finally {
    await handle.close();
  }
  // A new file's name is as lasting as its content only once its folder is flushed.
  if (at === 0) await flushFolder(folder);
}
