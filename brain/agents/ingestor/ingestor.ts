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

/** A file with more pieces is not compared with its memories after a change. */
const MAX_FOLLOWED = 5_000;
const LIST_LIMIT = 1_000;

/** An imported file: when it changed last, the tags of its memories, and the hashes of its pieces. */
const Import = z.object({ modified: z.string(), tags: z.array(z.string()), pieces: z.array(z.string()) });
type Import = z.infer<typeof Import>;
/** The problems of the last run, of which only changes are reported again, and the imported files by path. */
const Memo = z.object({ told: z.array(z.string()), imports: z.record(z.string(), Import).default({}) });

const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const tagOf = (hash: string): string => `inbox:${hash.slice(0, 16)}`;
const pieceOf = (chunk: string): string => hashOf(chunk).slice(0, 12);

/**
 * Ingests the files in `inbox/`: each becomes untrusted memories with their source, and moves to `inbox/processed/`.
 * Files with equal content are ingested once, whatever their name. Unsupported files stay. When an imported file has
 * changed, memories of the parts that it no longer has move to the archive, and its new parts become memories.
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
      imported = { modified: file.modified, tags: [tag], pieces: chunks.map(pieceOf) };
    }
    const [ofDay, ofMoment] = importedPaths(file.path, now);
    const isFree = (await files.state(ofDay, signal)).kind === "absent";
    const to = await files.freePath(isFree ? ofDay : ofMoment, signal);
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
      const { imports, followed } = await followChanges(
        { files, memory },
        { entries, before },
        { signal, log },
      );
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
        if (outcome.imported !== undefined && outcome.memories <= MAX_FOLLOWED)
          imports[outcome.path] = outcome.imported;
        await log(
          outcome.memories === 0
            ? `${file.path} was already imported; it is in ${IMPORTED}/ now.`
            : `${file.path} became ${formatCount(outcome.memories, "memory")}.`,
        );
      }
      await memo.keep({ told: problems.map(({ subject, reason }) => problemKey(subject, reason)), imports });
      const left =
        problems.length > 0
          ? `; ${problems.length === 1 ? "1 stays" : `${problems.length} stay`} in inbox/`
          : "";
      const updated = followed > 0 ? `, ${followed} brought up to date` : "";
      const summary = `${formatCount(taken, "file")} taken in${updated}${left}.`;
      return { summary, changed: taken + followed > 0, problems };
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

/** Brings the memories of an imported file to its present content. What a person forgot or edited stays so. */
async function followChange(
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
  if ("refused" in document || document.chunks.length > MAX_FOLLOWED) return undefined;
  const { chunks } = document;
  const [had, has] = [new Set(before.pieces), new Set(chunks.map(pieceOf))];
  const added = chunks.flatMap((content, index) =>
    had.has(pieceOf(content)) ? [] : [chunkMemory(content, { index, count: chunks.length, file, tag, hash })],
  );
  if (added.length > 0) await memory.addMany(added, { source: { kind: "import" }, trust: "untrusted" });
  let removed = 0;
  for (const { id, content, version = 1 } of await memoriesOf(memory, before.tags)) {
    signal.throwIfAborted();
    if (version > 1 || has.has(pieceOf(content))) continue;
    await memory.forget(id);
    removed += 1;
  }
  const tags = [...before.tags.filter((one) => one !== tag), tag];
  return { imported: { modified: file.modified, tags, pieces: [...has] }, added: added.length, removed };
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

/** Brings the memories of all imported files that have changed to their present content. */
async function followChanges(
  ports: IngestorPorts,
  { entries, before }: { entries: readonly FileEntry[]; before: Readonly<Record<string, Import>> },
  { signal, log }: Pick<AgentWork, "signal" | "log">,
): Promise<{ imports: Record<string, Import>; followed: number }> {
  const imports: Record<string, Import> = {};
  let followed = 0;
  for (const file of entries) {
    const known = before[file.path];
    if (file.kind !== "file" || known === undefined) continue;
    const changed =
      file.modified === known.modified ? undefined : await followChange(ports, file, known, signal);
    imports[file.path] = changed?.imported ?? known;
    if (changed === undefined || changed.added + changed.removed === 0) continue;
    followed += 1;
    await log(
      `${file.path} has changed: ${formatCount(changed.added, "memory")} added, ${changed.removed} archived.`,
    );
  }
  return { imports, followed };
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
