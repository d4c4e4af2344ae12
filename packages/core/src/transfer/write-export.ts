import { finished, PassThrough, Readable } from "node:stream";
import { ZipFile, type ReadStreamOptions } from "yazl";
import type { ExportManifest } from "../contract/transfer.ts";
import { fileText } from "../files/file-content.ts";
import type { AgentCopies } from "../agents/agent-copies.ts";
import type { EvidenceTable } from "../functions/upkeep/evidence-table.ts";
import type { MemoryUses } from "../memory/evolution/memory-uses.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import type { RunCopies } from "../runs/run-copies.ts";
import type { RecordExport } from "./record-export.ts";
import type { StoredFiles } from "./stored-files.ts";
import { COUNTERS, entryKind, MANIFEST, STATE } from "./entry-kind.ts";

export interface ExportSource {
  files: Pick<StoredFiles, "below">;
  store: Pick<ProfileStore, "settings" | "persona">;
  /** The records, if they are not among the files. */
  records?: Pick<RecordExport, "all"> | undefined;
  uses: Pick<MemoryUses, "batches">;
  evidence: Pick<EvidenceTable, "copies">;
  runs: Pick<RunCopies, "conversationIds" | "conversation" | "runIds" | "run" | "grants">;
  agents: Pick<AgentCopies, "all">;
  manifest: ExportManifest;
  signal: AbortSignal;
}

/** The folders of a profile in an export, and those of them without records. */
const FOLDERS = ["memory", "out", "inbox"];
const WITHOUT_RECORDS = ["memory/archive/files", "out", "inbox"];

/**
 * Exports a profile as a zip that can be restored: its files, and the data that only `state.db` has (conversations,
 * runs, grants, agents, counters). Contains no index, audit log, account or session, and no kind of file that may
 * contain secrets. Packs while it is read; does not follow links. The stream fails with the signal's reason when
 * aborted.
 */
export async function writeExport(source: ExportSource): Promise<Readable> {
  const { uses, manifest, signal } = source;
  const zip = new ZipFile();
  const packed = zip.outputStream.pipe(new PassThrough());
  let reading: Readable | undefined;

  /** Opens an entry when the stream reaches it. An error fails the whole stream. */
  function add(path: string, options: Partial<ReadStreamOptions>, open: () => Readable): void {
    zip.addReadStreamLazy(path, options, (give) => {
      // Yields to the event loop between two files.
      setImmediate(() => {
        if (packed.destroyed) return;
        reading = open().on("error", (error) => packed.destroy(error));
        give(null, reading);
      });
    });
  }

  zip.on("error", (error: Error) => packed.destroy(error));
  const stop = (): void => void packed.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener("abort", stop, { once: true });
  // An error before the first read reaches the reader.
  finished(packed, () => {
    signal.removeEventListener("abort", stop);
    reading?.destroy();
  });

  try {
    zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`), MANIFEST);
    add(COUNTERS, {}, () => Readable.from(counterLines(uses)));
    zip.addBuffer(Buffer.from(fileText(await source.store.settings())), "profile.json");
    zip.addBuffer(Buffer.from(fileText(await source.store.persona())), "persona/core.json");
    for await (const { path, text } of source.records?.all() ?? []) zip.addBuffer(Buffer.from(text), path);
    const folders = source.records ? WITHOUT_RECORDS : FOLDERS;
    for await (const { path, modified, open } of source.files.below(folders, signal))
      if ("kind" in entryKind(path)) add(path, { mtime: modified }, open);
    for await (const [path, copy] of stateOf(source)) add(path, {}, () => Readable.from(jsonOf(copy)));
  } catch (error) {
    packed.destroy();
    throw error;
  }
  zip.end();
  return packed;
}

/** The data that only `state.db` has, in import order: conversations before their runs. */
async function* stateOf({
  runs,
  agents,
  evidence,
}: ExportSource): AsyncGenerator<[path: string, copy: () => unknown]> {
  for await (const id of runs.conversationIds()) yield [STATE.conversation(id), () => runs.conversation(id)];
  for await (const id of runs.runIds()) yield [STATE.run(id), () => runs.run(id)];
  for (const grant of await runs.grants()) yield [STATE.grant(grant.id), () => grant];
  for await (const copy of evidence.copies()) yield [STATE.evidence(copy.id), () => copy];
  for (const agent of await agents.all()) yield [STATE.agent(agent.name), () => agent];
}

/** Reads the data when the stream reaches it; an error fails the stream. */
async function* jsonOf(copy: () => unknown): AsyncGenerator<string> {
  yield `${JSON.stringify(await copy())}\n`;
}

async function* counterLines(uses: Pick<MemoryUses, "batches">): AsyncGenerator<string> {
  for await (const batch of uses.batches()) yield batch.map((use) => `${JSON.stringify(use)}\n`).join("");
}
