import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry } from "../contract/audit.ts";
import { fromNodeError } from "../errors/node-error.ts";
import type { AuditLog } from "./audit-log.ts";
import { parseLine, dayFiles, readHead } from "./chain.ts";
import { createNotifier, follow } from "./follow.ts";
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
