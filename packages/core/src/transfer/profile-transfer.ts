import { randomBytes } from "node:crypto";
import { createWriteStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AuditLog } from "../audit/audit-log.ts";
import { type InterruptedImport, ImportReport } from "../contract/transfer.ts";
import { openFileLock } from "../database/file-lock.ts";
import { fromNodeError } from "../errors/node-error.ts";
import { ImportIncompleteError } from "../errors/request-errors.ts";
import { TimeoutError } from "../errors/run-errors.ts";
import type { EvidenceTable } from "../functions/upkeep/evidence-table.ts";
import type { OpenedFunctions } from "../functions/open-functions.ts";
import type { IndexControl } from "../memory/index/index-control.ts";
import type { MemoryUses } from "../memory/evolution/memory-uses.ts";
import { importProfile } from "./import-profile.ts";
import type { ImportOptions, ImportTarget } from "./import-target.ts";
import type { RecordExport } from "./record-export.ts";
import { readProgress, removeProgress, writeProgress } from "./import-progress.ts";
import { writeExport } from "./write-export.ts";

/** Exports a profile as a zip and imports one. */
export interface ProfileTransfer {
  /** Returns a file name and the bytes, which are packed while they are read. */
  export(by: { surface?: string; signal: AbortSignal }): Promise<{ name: string; zip: Readable }>;
  /**
   * Imports the bytes of a zip, or reports what that would do (`apply: false`). Only one import of a profile may run
   * across all processes; another one throws `TimeoutError`, as does an import that takes too long. Throws
   * `InvalidArgsError` for a broken or malicious zip, and `ImportIncompleteError` if it stops after something was
   * written.
   */
  import(
    zip: AsyncIterable<Uint8Array>,
    options: ImportOptions & { surface?: string },
  ): Promise<ImportReport>;
  /**
   * Returns the state of an import whose process was killed, until the import is repeated or `forgetInterrupted` is called.
   * The first call records it in the audit log. Undefined while an import runs.
   */
  interrupted(): Promise<InterruptedImport | undefined>;
  forgetInterrupted(): Promise<void>;
  /** Call it only while no import runs. */
  close(): void;
}

export interface TransferParts extends Omit<ImportTarget, "uses" | "evidence" | "records"> {
  version: string;
  uses: MemoryUses;
  evidence: EvidenceTable;
  /** The records, if they are not files below `paths`. */
  records?: RecordExport | undefined;
  /** Called with the restored records. */
  index: Pick<IndexControl, "reconcile">;
  functions: Pick<OpenedFunctions, "reconcile">;
  audit: AuditLog;
  /** Called when something may have been restored. */
  onRestored: () => void;
  /** The time limit of an import, including its upload, in milliseconds. */
  limits: () => { maxImportMs: number };
}

/** Removes the leftovers of an interrupted import. Call it only while no import runs. */
async function removeZips(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\.import-[0-9a-f]{16}\.zip$/u.test(name)) await rm(join(folder, name), { force: true });
}

export function createProfileTransfer(parts: TransferParts): ProfileTransfer {
  const { username, version, paths, store, audit, clock, index, functions } = parts;
  const lock = openFileLock(join(paths.root, ".import.lock"), "the import");

  async function note(
    event: string,
    surface: string | undefined,
    details: Record<string, unknown>,
  ): Promise<void> {
    await audit.append({ event, actor: username, ...(surface !== undefined && { surface }), details });
  }

  /** Imports in this process; the lock covers other processes. */
  let underWay = 0;

  async function reportInterruptedImport(): Promise<InterruptedImport | undefined> {
    const progress = await readProgress(paths.root);
    if (!progress) return undefined;
    const { isAudited, intoNew: _intoNew, ...found } = progress;
    if (!isAudited) {
      await removeZips(paths.root);
      await note("profile_import_cut_off", undefined, found);
      await writeProgress(paths.root, { ...progress, isAudited: true });
    }
    const { inPlace, records } = found;
    const message = `An import was cut off: at least ${inPlace} of ${records} records are in place. Repeat the import to add the rest.`;
    return { ...found, message };
  }

  return {
    async export({ surface, signal }) {
      const { displayName } = await store.settings();
      const exportedAt = clock().toISOString();
      const manifest = { format: 1 as const, username, displayName, exportedAt, version };
      const zip = await writeExport({ ...parts, manifest, signal });
      await note("profile_exported", surface, {});
      return { name: `${username}-${exportedAt.slice(0, 10)}.zip`, zip };
    },

    import: (zip, { surface, ...options }) =>
      lock.hold(
        async () => {
          underWay += 1;
          await removeZips(paths.root);
          // The directory of a zip is at its end, so the upload must be complete first.
          const file = join(paths.root, `.import-${randomBytes(8).toString("hex")}.zip`);
          const { maxImportMs } = parts.limits();
          const timeUp = AbortSignal.timeout(maxImportMs);
          const signal = AbortSignal.any([options.signal, timeUp]);
          try {
            await pipeline(Readable.from(zip), createWriteStream(file, { flags: "wx", mode: 0o600 }), {
              signal,
            }).catch((error: unknown) => {
              throw fromNodeError(error, "the zip");
            });
            const report = await importProfile(file, parts, { ...options, signal });
            if (!options.apply) return report;
            await note("profile_imported", surface, { replace: options.replace, ...report.totals });
            await Promise.all([index.reconcile(), functions.reconcile()]);
            return report;
          } catch (error) {
            if (error instanceof ImportIncompleteError) {
              const { totals } = ImportReport.parse(error.context["report"]);
              await note("profile_import_stopped", surface, { ...totals, reason: error.message });
              await Promise.all([index.reconcile(), functions.reconcile()]);
            } else if (timeUp.aborted && !options.signal.aborted) {
              throw new TimeoutError(
                `The import took longer than ${maxImportMs / 1_000} s; nothing was imported.`,
                {
                  suggestions: ["The owner may allow more time: import.maxDurationMs in etc/storage.json."],
                  cause: error,
                },
              );
            }
            throw error;
          } finally {
            underWay -= 1;
            if (options.apply) parts.onRestored();
            await rm(file, { force: true });
          }
        },
        { waitMs: 1_000 },
      ),

    async interrupted() {
      if (underWay > 0 || !(await readProgress(paths.root))) return undefined;
      try {
        return await lock.hold(reportInterruptedImport, { waitMs: 0 });
      } catch (error) {
        // Another process imports.
        if (error instanceof TimeoutError) return undefined;
        throw error;
      }
    },

    forgetInterrupted: () => lock.hold(() => removeProgress(paths.root), { waitMs: 1_000 }),

    close: () => lock.close(),
  };
}
