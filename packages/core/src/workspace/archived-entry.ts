import { randomBytes } from "node:crypto";
import { z } from "zod";
import { ArchiveEntry } from "../contract/http.ts";
import type { ConfinedPath } from "../paths/file-names.ts";

/** The description of an archived file or folder. */
export const ArchivedEntry = ArchiveEntry.extend({
  holds: z.enum(["file", "folder"]),
  bytes: z.int().nonnegative(),
});
export type ArchivedEntry = z.infer<typeof ArchivedEntry>;

export const ARCHIVE_ID = /^file-\d{8}T\d{9}Z-[0-9a-f]{8}$/u;

/** Describes what is moved or copied into the archive. Ids sort by time. */
export function describeArchived(
  place: ConfinedPath,
  { holds, bytes }: Pick<ArchivedEntry, "holds" | "bytes">,
  { now, reason, runId }: { now: Date; reason: ArchivedEntry["reason"]; runId: string | undefined },
): ArchivedEntry {
  const archivedAt = now.toISOString();
  return {
    id: `file-${archivedAt.replace(/[-:.]/gu, "")}-${randomBytes(4).toString("hex")}`,
    kind: "file",
    title: place.segments.at(-1) ?? place.root,
    origin: place.path,
    archivedAt,
    ...(runId !== undefined && { runId }),
    reason,
    holds,
    bytes,
  };
}

/** An archive entry as results of a change name it. */
export function toArchiveEntry({
  holds: _holds,
  bytes: _bytes,
  reason: _reason,
  ...entry
}: ArchivedEntry): ArchiveEntry {
  return entry;
}

/** An archive entry as lists show it: versions of one file differ in what happened to them, or in their size. */
export function toListedEntry({ holds, bytes, ...entry }: ArchivedEntry): ArchiveEntry {
  return holds === "file" ? { ...entry, bytes } : entry;
}
