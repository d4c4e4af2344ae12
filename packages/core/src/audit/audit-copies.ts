import { appendFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { AuditVerification } from "../contract/audit.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { makeFolder } from "../files/durable-file.ts";
import {
  type AuditSigning,
  dayFile,
  dayFiles,
  hashLine,
  type Head,
  parseLine,
  START,
  writeHead,
} from "./signed-chain.ts";
import { readLines } from "./read-lines.ts";
import { verifyChain } from "./verify.ts";

/**
 * The lines of an audit log in their hashed form, to move them completely to another storage. Nobody may append
 * meanwhile.
 */
export interface AuditCopies {
  /** The lines without their newlines, oldest first, in batches. Throws `StorageCorruptError` for one that cannot be read. */
  lines(): AsyncIterable<readonly string[]>;
  /** The number of the first signed line; undefined without a signature. */
  signedSince(): Promise<number | undefined>;
  /** Appends the next lines of the chain to a log that was empty before the first call. */
  append(lines: readonly string[]): Promise<void>;
  /** Stores the end of the appended lines. It is signed with the key of this installation if the log was signed before. */
  end(signedSince: number | undefined): Promise<void>;
  verify(): Promise<AuditVerification>;
}

/** Uses the day files in `folder`. Without `signing`, the log has no signature. */
export function openFileAuditCopies(folder: string, signing: AuditSigning | undefined): AuditCopies {
  let head: Head = { ...START, file: "", bytes: 0 };
  return {
    async *lines() {
      for (const file of await dayFiles(folder))
        for await (const found of readLines(join(folder, file)))
          yield found.filter(({ complete }) => complete).map(({ text }) => text);
    },
    signedSince: async () => (await signing?.read())?.head.since,
    async append(lines) {
      try {
        await makeFolder(folder, "the audit log");
        const byFile = new Map<string, string[]>();
        for (const line of lines) {
          const { file, seq, hash } = placeOf(line, head);
          byFile.set(file, [...(byFile.get(file) ?? []), line]);
          head = { ...head, file, seq, hash };
        }
        for (const [file, some] of byFile)
          await appendFile(join(folder, file), some.map((line) => `${line}\n`).join(""), {
            mode: 0o600,
            flush: true,
          });
      } catch (error) {
        throw fromNodeError(error, "the audit log");
      }
    },
    async end(signedSince) {
      if (head.seq === 0) return;
      const end = { ...head, bytes: (await stat(join(folder, head.file))).size };
      await writeHead(folder, end);
      if (signedSince !== undefined) await signing?.write(end, signedSince);
    },
    verify: () => verifyChain(folder, { ...(signing && { signing }) }),
  };
}

/** The file to which a line belongs, and the end of the chain after it. */
function placeOf(line: string, head: Head): Pick<Head, "file" | "seq" | "hash"> {
  const entry = parseLine(line);
  if (!entry)
    throw new StorageCorruptError(`Line ${head.seq + 1} of the audit log cannot be read.`, {
      suggestions: ["See what mh audit verify reports."],
    });
  const day = dayFile(new Date(entry.at));
  // As with a clock that was set back: files are read in the order of their names.
  return { file: day > head.file ? day : head.file, seq: entry.seq, hash: hashLine(line) };
}
