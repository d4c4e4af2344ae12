import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { formatCount } from "@metahuman/core/text/format";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";

/** The largest file that is edited, in bytes. */
const MAX_BYTES = 2_000_000;

interface EditableText {
  content: string;
  /** A text as it is written to the file: with the byte order mark that the file begins with, if it has one. */
  withMark: (text: string) => string;
}

/** Reads a whole text file to edit it. Throws `InvalidArgsError` for a larger one, besides what `readText` throws. */
export async function readToEdit(
  files: Pick<WorkspaceFiles, "readText">,
  path: string,
  signal?: AbortSignal,
): Promise<EditableText> {
  const { content, bytes, truncated } = await files.readText(path, {
    maxBytes: MAX_BYTES,
    ...(signal && { signal }),
  });
  if (truncated) throw new InvalidArgsError(`${path} is larger than ${formatCount(MAX_BYTES, "byte")}.`);
  // The decoder omits only a byte order mark, so a longer file has one.
  const mark = bytes > new TextEncoder().encode(content).length ? "\uFEFF" : "";
  return { content, withMark: (text) => `${mark}${text}` };
}
