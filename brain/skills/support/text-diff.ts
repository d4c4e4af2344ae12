import type { ActionPreview } from "@metahuman/core/contract/approval";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { clip } from "../markdown.ts";

/** How much of a text a preview shows: bytes read of a file, characters shown of a text. */
const SHOWN = 20_000;

/** What a file says now; undefined for a file that is not text. */
export async function currentText(
  files: WorkspaceFiles,
  path: string,
): Promise<{ text: string; clipped: boolean } | undefined> {
  try {
    const { content, truncated } = await files.readText(path, { maxBytes: SHOWN });
    return { text: content, clipped: truncated };
  } catch (error) {
    if (error instanceof InvalidArgsError) return undefined;
    throw error;
  }
}

/** Two texts side by side, clipped to what a person can judge. */
export function textDiff(
  before: { text: string; clipped: boolean },
  after: string,
): NonNullable<ActionPreview["diff"]> {
  return { before: before.text, after: clip(after, SHOWN), clipped: before.clipped || after.length > SHOWN };
}
