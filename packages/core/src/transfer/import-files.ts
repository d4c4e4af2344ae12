import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImportItem } from "../contract/transfer.ts";
import { systemCode } from "../errors/node-error.ts";
import { InvalidArgsError } from "../errors/request-errors.ts";
import { createFile, replaceFile } from "../memory/store/durable-file.ts";
import type { ImportContext, ImportTarget } from "./import-target.ts";
import type { Importer } from "./parts.ts";

/** Archived files of the workspace are no records. */
const ARCHIVED_FILES = "memory/archive/files/";

/**
 * Imports files byte for byte: workspace, archive and functions. Existing functions and archived items are never
 * replaced, because they record what was promoted and what existed.
 */
export function fileImporter(
  { paths, archive, records }: ImportTarget,
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
      const existing = await kindAt(paths.root, path);
      if (existing === "blocked") return reportAs("refused", "a link or another file is in its place");
      const absolute = join(paths.root, path);
      if (existing === "absent") {
        if (apply) await createFile(absolute, bytes, path);
        return reportAs("added");
      }
      if ((await readFile(absolute)).equals(bytes)) return reportAs("unchanged");
      if (kind !== "file" || !replace) return reportAs("conflicting", "another file has this name here");
      if (apply) {
        await archive.keepCopy(path, { signal });
        await replaceFile(absolute, bytes, path);
      }
      reportAs("changed");
    },
  };
}

/** Checks what exists at a path below `root`, name by name, because a link on the way would lead out of the profile. */
async function kindAt(root: string, path: string): Promise<"absent" | "file" | "blocked"> {
  const segments = path.split("/");
  let at = root;
  for (const [index, segment] of segments.entries()) {
    at = join(at, segment);
    try {
      const found = await lstat(at);
      const isLast = index === segments.length - 1;
      if (isLast ? !found.isFile() : !found.isDirectory()) return "blocked";
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT") return "absent";
      throw error;
    }
  }
  return "file";
}
