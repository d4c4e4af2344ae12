import type { ImportItem } from "../contract/transfer.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import type { ImportContext, ImportTarget } from "./import-target.ts";
import type { Importer } from "./parts.ts";

/** Archived files of the workspace are not records. */
const ARCHIVED_FILES = "memory/archive/files/";

/**
 * Imports files byte for byte: workspace, archive and functions. Existing functions and archived items are never
 * replaced, because they record what was promoted and what existed.
 */
export function fileImporter(
  { files, archive, records }: ImportTarget,
  { apply, replace, signal, report }: ImportContext,
): Importer<"file" | "archive" | "function"> {
  return {
    async add({ of: kind, path, value: bytes }) {
      const reportAs = (outcome: ImportItem["outcome"], reason?: string): void =>
        report({ path, kind, outcome, ...(reason !== undefined && { reason }) });
      if (records && kind !== "file" && !path.startsWith(ARCHIVED_FILES)) {
        try {
          const outcome = await records.add({ path, bytes }, { apply });
          reportAs(outcome, outcome === "conflicting" ? "another record has this name here" : undefined);
        } catch (error) {
          if (!(error instanceof InvalidArgsError)) throw error;
          reportAs("refused", error.message);
        }
        return;
      }
      const existing = await files.read(path);
      if (existing === "blocked") return reportAs("refused", "a link or another file is in its place");
      if (existing === undefined) {
        if (apply) await files.create(path, bytes);
        return reportAs("added");
      }
      if (existing.equals(bytes)) return reportAs("unchanged");
      if (kind !== "file" || !replace) return reportAs("conflicting", "another file has this name here");
      if (apply) {
        await archive.keepCopy(path, { signal });
        await files.replace(path, bytes);
      }
      reportAs("changed");
    },
  };
}
