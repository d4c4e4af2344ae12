import { type FSWatcher, watch } from "node:fs";
import { appendFile, open, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry, AuditEvent } from "../contract/audit.ts";
import { fromNodeError, systemCode } from "../errors/node-error.ts";
import type { AuditLog } from "./audit-log.ts";
import {
  anchorLine,
  type AuditSigning,
  dayFile,
  dayFiles,
  GENESIS,
  hashLine,
  type Head,
  linkEntry,
  parseLine,
  prepareEntry,
  readAnchors,
  readHead,
  type SignedHead,
  writeHead,
} from "./signed-chain.ts";
import { readLines } from "./read-lines.ts";
import { searchEntries } from "./search.ts";
import { verifyChain } from "./verify.ts";
import { type FileLock, openFileLock } from "../database/file-lock.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { flushFolder, makeFolder } from "../files/durable-file.ts";

export interface AuditLogOptions {
  /** Signs the end of the log after each flush. Without it, only the hash chain protects the log. */
  signing?: AuditSigning;
  /** The absolute path of the file to which the signed end is appended once a day. */
  anchorFile?: () => string | undefined;
}

export const DAY_MS = 86_400_000;

/**
 * Opens the audit log in `folder` (`logs/audit` of a profile), which is created with the first line. Reads and locks
 * nothing in advance. Any number of processes may open it.
 */
export function openAuditLog(
  folder: string,
  clock: () => Date = () => new Date(),
  { signing, anchorFile }: AuditLogOptions = {},
): AuditLog {
  const notifier = createNotifier(folder);
  const writer = createWriter(folder, clock, notifier.notifyAll, signing);

  async function startSigning(): ReturnType<AuditLog["startSigning"]> {
    const signed = await signing?.read();
    if (!signing || signed?.status === "valid") return undefined;
    const end = await readHead(folder);
    if (signed?.status === "other-key") {
      const details = { from: signed.head.key, to: signing.key.id };
      await writer.append({ event: "audit_key_changed", details });
      return "audit_key_changed";
    }
    if (signed !== undefined || end === undefined || end.seq === 0) return undefined;
    await writer.append({ event: "audit_signing_started", details: { unsignedLines: end.seq } });
    return "audit_signing_started";
  }

  async function anchorIfDue(): Promise<boolean> {
    const file = anchorFile?.();
    const signed = await signing?.read();
    if (!signing || file === undefined || signed?.status !== "valid") return false;
    const last = (await readAnchors(file, signing)).at(-1)?.anchor;
    if (last && Math.abs(clock().getTime() - Date.parse(last.at)) < DAY_MS) return false;
    await appendFile(file, anchorLine(signing, signed.head, clock()), { mode: 0o600, flush: true });
    return true;
  }

  return {
    append: (event) => writer.append(event),
    search: (query, signal) => withStorageErrors(searchEntries(folder, query, signal)),
    tail: (limit) => withStorageErrors(lastEntries(folder, limit)),
    verify: (signal) =>
      withStorageErrors(verifyChain(folder, { signal, signing, anchorFile: anchorFile?.() })),
    startSigning: () => withStorageErrors(startSigning()),
    anchorIfDue: () => withStorageErrors(anchorIfDue()),
    stream: (signal) => follow(folder, notifier, signal),
    async close() {
      await writer.close();
      notifier.close();
    },
  };
}

async function lastEntries(folder: string, limit: number): Promise<AuditEntry[]> {
  if (limit <= 0) return [];
  let entries: AuditEntry[] = [];
  for (const file of (await dayFiles(folder)).toReversed()) {
    const found: AuditEntry[] = [];
    for await (const lines of readLines(join(folder, file))) {
      for (const { text } of lines.slice(-limit)) {
        const entry = parseLine(text);
        if (entry) found.push(entry);
      }
      found.splice(0, Math.max(0, found.length - limit));
    }
    entries = [...found, ...entries].slice(-limit);
    if (entries.length === limit) break;
  }
  return entries;
}

async function withStorageErrors<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw fromNodeError(error, "the audit log");
  }
}

/** The polling interval for changes that the file watcher does not report, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;

/** Notifies waiters of new lines: after a flush in this process, or when the folder changes. */
export interface Notifier {
  notifyAll: () => void;
  /** Resolves at the next notification, after a second, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watches the folder while there are waiters, and for up to a second longer because waiters usually return. */
function createNotifier(folder: string): Notifier {
  const waiters = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  function notifyAll(): void {
    for (const waiter of waiters) waiter();
  }

  function stopWatching(): void {
    watcher?.close();
    watcher = undefined;
    clearInterval(timer);
    timer = undefined;
  }

  function startWatching(): void {
    timer ??= setInterval(() => (waiters.size > 0 ? notifyAll() : stopWatching()), POLL_INTERVAL_MS).unref();
    try {
      watcher ??= watch(folder, { persistent: false }, notifyAll).on("error", stopWatching);
    } catch {
      // The folder may not exist or may not be watchable; then the timer polls.
    }
  }

  return {
    notifyAll,
    next: (signal) =>
      new Promise((resolve) => {
        const waiter = (): void => {
          waiters.delete(waiter);
          signal.removeEventListener("abort", waiter);
          resolve();
        };
        signal.addEventListener("abort", waiter);
        waiters.add(waiter);
        startWatching();
        if (signal.aborted) waiter();
      }),
    close() {
      notifyAll();
      stopWatching();
    },
  };
}

/** Streams every line written after this call, in order, until `signal` aborts. */
function follow(folder: string, notifier: Notifier, signal: AbortSignal): AsyncIterable<AuditEntry> {
  // The end of the log is read now, not when the first line is requested.
  const start = readHead(folder);
  return entries();

  async function* entries(): AsyncGenerator<AuditEntry> {
    const head = await start;
    let file = head?.file ?? "";
    let offset = head?.bytes ?? 0;
    let seq = head?.seq ?? 0;
    while (!isAborted(signal)) {
      // Waiting starts before reading, so that no line written meanwhile is missed.
      const notified = notifier.next(signal);
      for (const name of (await dayFiles(folder)).filter((candidate) => candidate >= file)) {
        if (name !== file) offset = 0;
        file = name;
        for await (const lines of readLines(join(folder, name), offset)) {
          for (const { text, end, complete } of lines) {
            if (!complete) break;
            offset = end;
            const entry = parseLine(text);
            if (!entry || entry.seq <= seq) continue;
            seq = entry.seq;
            yield entry;
            if (isAborted(signal)) return;
          }
        }
      }
      await notified;
    }
  }
}

/** A function, because the compiler assumes that the property does not change. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

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

interface AuditWriter {
  /** Resolves when the line is on disk. */
  append(event: AuditEvent): Promise<void>;
  close(): Promise<void>;
}

/**
 * Appends to the chain in `folder`. Lines that arrive during a flush share the next one, so that a burst costs
 * two writes instead of one per line. Calls `onWrite` after each flush.
 */
function createWriter(
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
