import { watch, type FSWatcher } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../contract/audit.ts";
import { parseLine } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import { readHead } from "./head.ts";
import { readLines } from "./read-lines.ts";

/** How often the files are looked at where the system reports no changes made by other processes. */
const LOOK_EVERY_MS = 1_000;

/** Wakes whoever waits for new lines: after a flush here, or when the folder changes. */
export interface Notifier {
  wake: () => void;
  /** Resolves at the next wake-up, at the latest after a second, or when `signal` aborts. */
  next(signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Watches the folder while somebody waits, and for a moment longer: whoever waits mostly waits again. */
export function createNotifier(folder: string): Notifier {
  const sleepers = new Set<() => void>();
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  function wake(): void {
    for (const sleeper of sleepers) sleeper();
  }

  function rest(): void {
    watcher?.close();
    watcher = undefined;
    clearInterval(timer);
    timer = undefined;
  }

  function attend(): void {
    timer ??= setInterval(() => (sleepers.size > 0 ? wake() : rest()), LOOK_EVERY_MS).unref();
    try {
      watcher ??= watch(folder, { persistent: false }, wake).on("error", rest);
    } catch {
      // Not there yet, or not watchable: the timer looks.
    }
  }

  return {
    wake,
    next: (signal) =>
      new Promise((resolve) => {
        const sleeper = (): void => {
          sleepers.delete(sleeper);
          signal.removeEventListener("abort", sleeper);
          resolve();
        };
        signal.addEventListener("abort", sleeper);
        sleepers.add(sleeper);
        attend();
        if (signal.aborted) sleeper();
      }),
    close() {
      wake();
      rest();
    },
  };
}

/** Every line written from this call on, in order, until `signal` aborts. */
export function follow(folder: string, wakeups: Notifier, signal: AbortSignal): AsyncIterable<AuditEntry> {
  // Where the log ends is looked up now, not when the first line is asked for.
  const start = readHead(folder);
  return entries();

  async function* entries(): AsyncGenerator<AuditEntry> {
    const head = await start;
    let file = head?.file ?? "";
    let offset = head?.bytes ?? 0;
    let seq = head?.seq ?? 0;
    while (!isAborted(signal)) {
      // Asked for before reading: what is written while reading is not slept through.
      const woken = wakeups.next(signal);
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
      await woken;
    }
  }
}

/** Asked anew after each pause: the compiler takes it for unchanged. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
