import type { ActionPreview } from "@metahuman/core/contract/approval";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import { decodeText } from "@metahuman/core/workspace/decode-text";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { truncate } from "@metahuman/core/text/format";

/** Preview limits: bytes read from a file, characters shown of a text. */
const MAX_PREVIEW_LENGTH = 20_000;

/** A text, or its beginning if `clipped`. */
interface PreviewText {
  text: string;
  clipped: boolean;
}

/** Returns the current text of a file; undefined if it is not text. */
export async function currentText(files: WorkspaceFiles, path: string): Promise<PreviewText | undefined> {
  return await unlessBinary(async () => {
    const { content, truncated } = await files.readText(path, { maxBytes: MAX_PREVIEW_LENGTH });
    return { text: content, clipped: truncated };
  });
}

/** Returns the text of an archived file; undefined for a folder and for what is not text. */
async function archivedText(archive: ArchivePort, id: string): Promise<PreviewText | undefined> {
  const { entry, bytes } = await archive.read(id, { maxBytes: MAX_PREVIEW_LENGTH });
  if (!bytes) return undefined;
  const clipped = (entry.bytes ?? 0) > bytes.length;
  return await unlessBinary(() => ({ text: decodeText(bytes, entry.origin, clipped), clipped }));
}

/** Returns undefined if `read` throws because a file is not text. */
async function unlessBinary(
  read: () => PreviewText | Promise<PreviewText>,
): Promise<PreviewText | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

/**
 * Compares the text at a path with the archived text that is restored there. `isTaken` says whether there is anything at the
 * path. Undefined if either is not text.
 */
export async function restoreDiff(
  { files, archive }: { files: WorkspaceFiles; archive: ArchivePort },
  { id, origin }: { id: string; origin: string },
  isTaken: boolean,
): Promise<ActionPreview["diff"]> {
  const [before, after] = await Promise.all([
    isTaken ? currentText(files, origin) : { text: "", clipped: false },
    archivedText(archive, id),
  ]);
  if (!before || !after) return undefined;
  return { before: before.text, after: after.text, clipped: before.clipped || after.clipped };
}

/** Returns two texts for comparison, clipped to a reviewable length. */
export function textDiff(before: PreviewText, after: string): NonNullable<ActionPreview["diff"]> {
  return {
    before: before.text,
    after: truncate(after, MAX_PREVIEW_LENGTH),
    clipped: before.clipped || after.length > MAX_PREVIEW_LENGTH,
  };
}
