import type { ActionPreview } from "@metahuman/core/contract/approval";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { truncate } from "@metahuman/core/text/format";

/** Preview limits: bytes read from a file, characters shown of a text. */
const MAX_PREVIEW_LENGTH = 20_000;

/** Returns the current text of a file; undefined if it is not text. */
export async function currentText(
  files: WorkspaceFiles,
  path: string,
): Promise<{ text: string; clipped: boolean } | undefined> {
  try {
    const { content, truncated } = await files.readText(path, { maxBytes: MAX_PREVIEW_LENGTH });
    return { text: content, clipped: truncated };
  } catch (error) {
    if (error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

/** Returns two texts for comparison, clipped to a reviewable length. */
export function textDiff(
  before: { text: string; clipped: boolean },
  after: string,
): NonNullable<ActionPreview["diff"]> {
  return {
    before: before.text,
    after: truncate(after, MAX_PREVIEW_LENGTH),
    clipped: before.clipped || after.length > MAX_PREVIEW_LENGTH,
  };
}
