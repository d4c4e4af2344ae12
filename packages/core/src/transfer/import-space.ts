import { quotaError, type ProfileQuota } from "../profiles/profile-quota.ts";
import { readZip } from "./read-zip.ts";
import type { StoredFiles } from "./stored-files.ts";

/** The paths of an export that become files of the profile. */
const KEPT_AS_FILES = /^(?:out|inbox|memory)\//u;

/**
 * Throws `QuotaExceededError` if the new files of an export do not fit, before any is written. Existing files count
 * only if they are replaced, because the archive keeps them.
 */
export async function assertSpaceFor(
  zipPath: string,
  { files, quota, replace }: { files: Pick<StoredFiles, "sizeOf">; quota: ProfileQuota; replace: boolean },
): Promise<void> {
  const used = await quota.recount();
  const isTooMuch = ({ bytes, files }: { bytes: number; files: number }) =>
    used.bytes + bytes > used.maxBytes || used.files + files > used.maxFiles;
  const all = { bytes: 0, files: 0 };
  for await (const entry of readZip(zipPath)) {
    if (!KEPT_AS_FILES.test(entry.path)) continue;
    all.bytes += entry.bytes;
    all.files += 1;
  }
  if (!isTooMuch(all)) return;
  // The existing files are examined only if the export as a whole may not fit.
  const added = { bytes: 0, files: 0 };
  for await (const entry of readZip(zipPath)) {
    if (!KEPT_AS_FILES.test(entry.path)) continue;
    const there = await files.sizeOf(entry.path);
    if (there !== undefined && (!replace || there === entry.bytes)) continue;
    added.bytes += entry.bytes;
    added.files += 1;
  }
  if (isTooMuch(added)) throw quotaError(used, added, used, "what this backup adds");
}
