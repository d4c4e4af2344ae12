import type { AgentProblem } from "@metahuman/core/contract/agents";
import type { NewMemory } from "@metahuman/core/contract/memory";
import { formatCount } from "@metahuman/core/text/format";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { FileEntry, WorkspaceFiles } from "@metahuman/core/workspace/files";
import { IMPORTED, importedPaths } from "@metahuman/core/workspace/imported-files";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { BackgroundAgent } from "../background/background-agent.ts";
import { documentKind } from "./document/document.ts";
import { readInWorker } from "./document/read-in-worker.ts";

export interface IngestorPorts {
  files: Pick<WorkspaceFiles, "list" | "state" | "readText" | "move" | "freePath">;
  memory: Pick<MemoryPort, "addMany" | "list">;
}

const INBOX = "inbox";
/** The maximum file size in bytes. Larger files are books or logs, which would dominate the memory. */
const MAX_BYTES = 5_000_000;
const MAX_FILES = 10_000;

/** The problems of the last run; only changes are reported again. */
const Memo = z.object({ told: z.array(z.string()) });

/**
 * Ingests the files in `inbox/`: each becomes untrusted memories with their source, and moves to `inbox/processed/`.
 * Files with equal content are ingested once, whatever their name. Unsupported files stay.
 */
export function createIngestor({ files, memory }: IngestorPorts): BackgroundAgent {
  /** Returns the number of created memories, or the reason why the file stays in the inbox. */
  async function ingestFile(
    file: FileEntry,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ memories: number } | { reason: string }> {
    const kind = documentKind(file.name);
    if (!kind) return { reason: "only txt, md, json, csv and html files are imported" };
    if (file.bytes > MAX_BYTES)
      return { reason: `it has ${file.bytes} bytes; at most ${MAX_BYTES} are imported` };
    const read = await files.readText(file.path, { maxBytes: MAX_BYTES, signal });
    if (read.truncated || read.bytes !== file.bytes) return { reason: "it is still being written" };
    if (read.content.trim() === "") return { reason: "it is empty" };
    const hash = createHash("sha256").update(read.content).digest("hex");
    const tag = `inbox:${hash.slice(0, 16)}`;
    const known = await memory.list({ tag, limit: 1 });
    let memories = 0;
    if (known.total === 0) {
      const document = await readInWorker(kind, read.content, signal);
      if ("refused" in document) return { reason: document.refused };
      const { chunks } = document;
      // Written together: if the process ends before the file is moved, the next run finds its tag.
      await memory.addMany(
        chunks.map((content, index) =>
          chunkMemory(content, { index, count: chunks.length, file, tag, hash }),
        ),
        { source: { kind: "import" }, trust: "untrusted" },
      );
      memories = chunks.length;
    }
    const [ofDay, ofMoment] = importedPaths(file.path, now);
    const isFree = (await files.state(ofDay, signal)).kind === "absent";
    const to = await files.freePath(isFree ? ofDay : ofMoment, signal);
    await files.move(file.path, to, { overwrite: false, signal });
    return { memories };
  }

  return {
    name: "ingestor",
    title: "Ingestor",
    about: "Imports files from inbox/ into memory: txt, md, json, csv and html.",
    needsModel: false,
    async work({ signal, now, log, memo }) {
      const { entries } = await files.list(INBOX, { recursive: true, limit: MAX_FILES, signal });
      const waiting = entries.filter(
        ({ kind, path, name }) =>
          kind === "file" && !name.startsWith(".") && !path.startsWith(`${IMPORTED}/`),
      );
      const logged = new Set(Memo.safeParse(await memo.read()).data?.told ?? []);
      const problems: AgentProblem[] = [];
      let taken = 0;
      for (const file of waiting) {
        signal.throwIfAborted();
        const outcome = await ingestFile(file, now, signal).catch((error: unknown) => {
          // A problem with one file does not affect the others.
          if (error instanceof MetahumanError && !signal.aborted) return { reason: error.message };
          throw error;
        });
        if ("reason" in outcome) {
          problems.push({ subject: file.path, reason: outcome.reason });
          if (!logged.has(problemKey(file.path, outcome.reason)))
            await log(`${file.path} was not imported: ${outcome.reason}.`, "warning");
          continue;
        }
        taken += 1;
        await log(
          outcome.memories === 0
            ? `${file.path} was already imported; it is in ${IMPORTED}/ now.`
            : `${file.path} became ${formatCount(outcome.memories, "memory")}.`,
        );
      }
      await memo.keep({ told: problems.map(({ subject, reason }) => problemKey(subject, reason)) });
      const left =
        problems.length > 0
          ? `; ${problems.length === 1 ? "1 stays" : `${problems.length} stay`} in inbox/`
          : "";
      return { summary: `${formatCount(taken, "file")} taken in${left}.`, changed: taken > 0, problems };
    },
  };
}

function problemKey(path: string, reason: string): string {
  return `${path}: ${reason}`;
}

function chunkMemory(
  content: string,
  {
    index,
    count,
    file,
    tag,
    hash,
  }: { index: number; count: number; file: FileEntry; tag: string; hash: string },
): NewMemory {
  return {
    type: "observation",
    content,
    tags: ["inbox", tag],
    context: { file: file.name },
    metadata: { file: file.path, sha256: hash, chunk: index + 1, chunks: count },
  };
}
