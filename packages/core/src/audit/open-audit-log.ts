import { type FSWatcher, watch } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry } from "../contract/audit.ts";
import { fromNodeError } from "../errors/node-error.ts";
import type { AuditLog } from "./audit-log.ts";
import { dayFiles, parseLine, readHead } from "./chain.ts";
import { readLines } from "./read-lines.ts";
import { searchEntries } from "./search.ts";
import { anchorLine, type AuditSigning, readAnchors } from "./signing.ts";
import { verifyChain } from "./verify.ts";
import { createWriter } from "./writer.ts";

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
