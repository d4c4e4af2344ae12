import type { AgentProblem } from "@metahuman/core/contract/agents";
import type { MemoryRecord, NewMemory } from "@metahuman/core/contract/memory";
import { formatCount } from "@metahuman/core/text/format";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { FileEntry, WorkspaceFiles } from "@metahuman/core/workspace/files";
import { IMPORTED, importedPaths } from "@metahuman/core/workspace/imported-files";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { AgentWork, BackgroundAgent } from "../background/background-agent.ts";
import { type DocumentKind, documentKind } from "./document/document.ts";
import { readInWorker } from "./document/read-in-worker.ts";

export interface IngestorPorts {
  files: Pick<WorkspaceFiles, "list" | "state" | "readText" | "move" | "freePath">;
  memory: Pick<MemoryPort, "addMany" | "list" | "forget">;
}

const INBOX = "inbox";
/** The maximum file size in bytes. Larger files are books or logs, which would dominate the memory. */
const MAX_BYTES = 5_000_000;
const MAX_FILES = 10_000;

/** Changes of a file with more chunks are not tracked. */
const MAX_TRACKED_CHUNKS = 5_000;
const LIST_LIMIT = 1_000;

/** An imported file: when it changed last, the tags of its memories, and the hashes of its chunks (`pieces`). */
const Import = z.object({ modified: z.string(), tags: z.array(z.string()), pieces: z.array(z.string()) });
type Import = z.infer<typeof Import>;
/** The problems that the last run reported (`told`), which are not reported again, and the imported files by path. */
const Memo = z.object({ told: z.array(z.string()), imports: z.record(z.string(), Import).default({}) });

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const tagOf = (hash: string): string => `inbox:${hash.slice(0, 16)}`;
const chunkHash = (chunk: string): string => hashOf(chunk).slice(0, 12);

/**
 * Ingests the files in `inbox/`: each becomes untrusted memories with their source, and moves to `inbox/processed/`.
 * Files with equal content are ingested once, whatever their name. Unsupported files stay. When an imported file
 * changes, memories of removed chunks move to the archive, and new chunks become memories.
 */
export function createIngestor({ files, memory }: IngestorPorts): BackgroundAgent {
  /** Returns the number of created memories, or the reason why the file stays in the inbox. */
  async function ingestFile(
    file: FileEntry,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ memories: number; path: string; imported: Import | undefined } | { reason: string }> {
    const read = await readFile({ files }, file, signal);
    if ("reason" in read) return read;
    const { hash, tag } = read;
    const known = await memory.list({ tag, limit: 1 });
    let memories = 0;
    let imported: Import | undefined;
    if (known.total === 0) {
      const document = await readInWorker(read.kind, read.content, signal);
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
      imported = { modified: file.modified, tags: [tag], pieces: chunks.map(chunkHash) };
    }
    const [datedPath, timedPath] = importedPaths(file.path, now);
    const isFree = (await files.state(datedPath, signal)).kind === "absent";
    const to = await files.freePath(isFree ? datedPath : timedPath, signal);
    await files.move(file.path, to, { overwrite: false, signal });
    return { memories, path: to, imported };
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
      const { told = [], imports: before = {} } = Memo.safeParse(await memo.read()).data ?? {};
      const logged = new Set(told);
      const { imports, updatedCount } = await updateImports(
        { files, memory },
        { entries, before },
        { signal, log },
      );
      const problems: AgentProblem[] = [];
      let importedCount = 0;
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
        importedCount += 1;
        if (outcome.imported !== undefined && outcome.memories <= MAX_TRACKED_CHUNKS)
          imports[outcome.path] = outcome.imported;
        await log(
          outcome.memories === 0
            ? `${file.path} was already imported; it is in ${IMPORTED}/ now.`
            : `${file.path} became ${formatCount(outcome.memories, "memory")}.`,
        );
      }
      await memo.save({ told: problems.map(({ subject, reason }) => problemKey(subject, reason)), imports });
      const left =
        problems.length > 0
          ? `; ${problems.length === 1 ? "1 stays" : `${problems.length} stay`} in inbox/`
          : "";
      const updated = updatedCount > 0 ? `, ${updatedCount} updated` : "";
      const summary = `${formatCount(importedCount, "file")} imported${updated}${left}.`;
      return { summary, changed: importedCount + updatedCount > 0, problems };
    },
  };
}

/** The text of a file that can be imported, or the reason why it cannot. */
async function readFile(
  { files }: Pick<IngestorPorts, "files">,
  file: FileEntry,
  signal: AbortSignal,
): Promise<{ kind: DocumentKind; content: string; hash: string; tag: string } | { reason: string }> {
  const kind = documentKind(file.name);
  if (!kind) return { reason: "only txt, md, json, csv and html files are imported" };
  if (file.bytes > MAX_BYTES)
    return { reason: `it has ${file.bytes} bytes; at most ${MAX_BYTES} are imported` };
  const read = await files.readText(file.path, { maxBytes: MAX_BYTES, signal });
  if (read.truncated || read.bytes !== file.bytes) return { reason: "it is still being written" };
  if (read.content.trim() === "") return { reason: "it is empty" };
  const hash = hashOf(read.content);
  return { kind, content: read.content, hash, tag: tagOf(hash) };
}

/**
 * Updates the memories of an imported file to its current content. Memories that a person deleted or edited stay as they are. Undefined if
 * the file cannot be imported.
 */
async function updateImport(
  { files, memory }: IngestorPorts,
  file: FileEntry,
  before: Import,
  signal: AbortSignal,
): Promise<{ imported: Import; added: number; removed: number } | undefined> {
  const read = await readFile({ files }, file, signal);
  if ("reason" in read) return undefined;
  const { tag, hash } = read;
  const unchanged = { imported: { ...before, modified: file.modified }, added: 0, removed: 0 };
  if (before.tags.at(-1) === tag) return unchanged;
  const document = await readInWorker(read.kind, read.content, signal);
  if ("refused" in document || document.chunks.length > MAX_TRACKED_CHUNKS) return undefined;
  const { chunks } = document;
  const earlier = new Set(before.pieces);
  const current = new Set(chunks.map(chunkHash));
  const added = chunks.flatMap((content, index) =>
    earlier.has(chunkHash(content))
      ? []
      : [chunkMemory(content, { index, count: chunks.length, file, tag, hash })],
  );
  if (added.length > 0) await memory.addMany(added, { source: { kind: "import" }, trust: "untrusted" });
  let removed = 0;
  for (const { id, content, version = 1 } of await memoriesOf(memory, before.tags)) {
    signal.throwIfAborted();
    if (version > 1 || current.has(chunkHash(content))) continue;
    await memory.forget(id);
    removed += 1;
  }
  const tags = [...before.tags.filter((one) => one !== tag), tag];
  return { imported: { modified: file.modified, tags, pieces: [...current] }, added: added.length, removed };
}

async function memoriesOf(memory: IngestorPorts["memory"], tags: readonly string[]): Promise<MemoryRecord[]> {
  const found: MemoryRecord[] = [];
  for (const tag of tags) {
    let cursor: string | null | undefined;
    do {
      const page = await memory.list({ tag, limit: LIST_LIMIT, ...(cursor && { cursor }) });
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor);
  }
  return found;
}

/** Updates the memories of all imported files that have changed. */
async function updateImports(
  ports: IngestorPorts,
  { entries, before }: { entries: readonly FileEntry[]; before: Readonly<Record<string, Import>> },
  { signal, log }: Pick<AgentWork, "signal" | "log">,
): Promise<{ imports: Record<string, Import>; updatedCount: number }> {
  const imports: Record<string, Import> = {};
  let updatedCount = 0;
  for (const file of entries) {
    const known = before[file.path];
    if (file.kind !== "file" || known === undefined) continue;
    const changed =
      file.modified === known.modified ? undefined : await updateImport(ports, file, known, signal);
    imports[file.path] = changed?.imported ?? known;
    if (changed === undefined || changed.added + changed.removed === 0) continue;
    updatedCount += 1;
    await log(
      `${file.path} has changed: ${formatCount(changed.added, "memory")} added, ${changed.removed} archived.`,
    );
  }
  return { imports, updatedCount };
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
