import type { MemoryUses } from "../memory/uses/memory-uses.ts";
import { ExportManifest, type ImportItem, type ImportReport } from "../contract/transfer.ts";
import type { MemoryPort } from "../memory/memory-port.ts";
import type { TasksPort } from "../memory/tasks-port.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";
import type { ProfileStore } from "../profiles/profile-store.ts";
import type { ArchivePort } from "../workspace/archive.ts";
import { checkedJson } from "./check-json.ts";
import { entryKind, MANIFEST } from "./entry-kind.ts";
import { importCounters } from "./import-counters.ts";
import { fileImporter } from "./import-files.ts";
import { createReport } from "./import-report.ts";
import { memoryImporter, taskImporter } from "./import-records.ts";
import { settingsImporter } from "./import-settings.ts";
import { readZip, type ZipEntry } from "./read-zip.ts";

export interface ImportTarget {
  paths: Pick<ProfilePaths, "root" | "memory">;
  store: Pick<ProfileStore, "settings" | "changeSettings" | "persona" | "changePersona">;
  memory: Pick<MemoryPort, "get" | "importMany" | "edit" | "list" | "archived">;
  tasks: Pick<TasksPort, "get" | "remove" | "list">;
  archive: Pick<ArchivePort, "keepCopy">;
  uses: Pick<MemoryUses, "restore" | "each">;
}

export interface ImportOptions {
  /** False: only look, write nothing. */
  apply: boolean;
  /** Where something else is there: take what the export has; what was there goes to the archive. */
  replace: boolean;
  /** Whether folders outside the profile may be opened to the operator: the owner's to say. */
  mayOpenFolders: boolean;
  signal: AbortSignal;
}

/** Takes in the entries of one kind. What it answers is final when `finish` has been called. */
export interface Importer {
  take(entry: ZipEntry): Promise<void>;
  finish(): Promise<void>;
}

/** Nothing that is read as a record is larger. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * Brings an export into a profile, or tells what that would do. Every part is checked as text of a stranger before it is
 * looked at: what cannot be used is refused one by one, what is there already is left as it is, and nothing is executed. A
 * profile without memories and tasks also takes over settings and persona. Throws `InvalidArgsError` for a zip that is
 * broken or means harm; parts that came before are then in place, and the same import can be repeated.
 */
export async function importProfile(
  zipPath: string,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  // A zip that is to be refused is refused before anything of it is written.
  if (options.apply) for await (const _entry of readZip(zipPath)) options.signal.throwIfAborted();
  const report = createReport(options.apply);
  const [memories, tasks] = await Promise.all([
    target.memory.list({ limit: 1 }),
    target.tasks.list({ limit: 1, includeDone: true }),
  ]);
  const isNew = memories.total === 0 && tasks.total === 0;
  const note = (item: ImportItem): void => report.note(item);
  const importers = {
    memory: memoryImporter(target, options, note),
    task: taskImporter(target, options, note),
    settings: settingsImporter(target, { ...options, takeOver: isNew || options.replace }, note),
    files: fileImporter(target, options, note),
    counters: importCounters(target, options, note),
  };

  for await (const entry of readZip(zipPath)) {
    options.signal.throwIfAborted();
    if (entry.path === MANIFEST) {
      const manifest = checkedJson(ExportManifest, await bounded(entry));
      if ("reason" in manifest) note({ path: entry.path, outcome: "refused", reason: manifest.reason });
      else report.source(manifest.value);
      continue;
    }
    const found = entryKind(entry.path);
    if ("reason" in found) {
      note({ path: entry.path, outcome: "refused", reason: found.reason });
      continue;
    }
    const { kind } = found;
    if (kind !== "file" && kind !== "archive" && entry.bytes > MAX_JSON_BYTES) {
      note({ path: entry.path, kind, outcome: "refused", reason: `it has ${entry.bytes} bytes` });
      continue;
    }
    switch (kind) {
      case "memory":
        await importers.memory.take(entry);
        break;
      case "task":
        await importers.task.take(entry);
        break;
      case "settings":
      case "persona":
        await importers.settings.take(entry);
        break;
      case "counters":
        await importers.counters.take(entry);
        break;
      case "function":
      case "archive":
      case "file":
        await importers.files.take(entry);
        break;
      default:
        kind satisfies never;
    }
  }
  for (const importer of Object.values(importers)) await importer.finish();
  return report.done();
}

async function bounded(entry: ZipEntry): Promise<Uint8Array> {
  return entry.bytes > MAX_JSON_BYTES ? new Uint8Array() : await entry.read();
}
