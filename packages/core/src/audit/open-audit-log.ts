import { join } from "node:path";
import type { AuditEntry } from "../contract/audit.ts";
import { fromNodeError } from "../errors/node-error.ts";
import type { AuditLog } from "./audit-log.ts";
import { parseLine } from "./chain.ts";
import { dayFiles } from "./day-files.ts";
import { createWakeups, follow } from "./follow.ts";
import { readLines } from "./read-lines.ts";
import { searchEntries } from "./search.ts";
import { verifyChain } from "./verify.ts";
import { createWriter } from "./writer.ts";

/**
 * Opens the audit log kept in `folder` (`logs/audit` of a profile), which is made with the first line. Nothing is read
 * or locked before it is needed, and any number of processes may have it open.
 */
export function openAuditLog(folder: string, clock: () => Date = () => new Date()): AuditLog {
  const wakeups = createWakeups(folder);
  const writer = createWriter(folder, clock, wakeups.wake);
  return {
    append: (event) => writer.append(event),
    search: (query, signal) => typed(searchEntries(folder, query, signal)),
    tail: (limit) => typed(lastEntries(folder, limit)),
    verify: (signal) => typed(verifyChain(folder, signal)),
    stream: (signal) => follow(folder, wakeups, signal),
    async close() {
      await writer.close();
      wakeups.close();
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

async function typed<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw fromNodeError(error, "the audit log");
  }
}
