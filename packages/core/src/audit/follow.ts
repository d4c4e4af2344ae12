import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../contract/audit.ts";
import { parseLine, dayFiles, readHead } from "./chain.ts";
import { readLines } from "./read-lines.ts";

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
export function createNotifier(folder: string): Notifier {
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
export function follow(folder: string, notifier: Notifier, signal: AbortSignal): AsyncIterable<AuditEntry> {
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
