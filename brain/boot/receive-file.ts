import type { InboxAnswer } from "@metahuman/core/contract/inbox";
import { decodeText } from "@metahuman/core/workspace/decode-text";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";

/**
 * Puts a text file that somebody sent into `inbox/`, under a free name beside the one it has. Throws `InvalidArgsError`
 * for what is not text in UTF-8, and whatever reading the pieces throws.
 */
export async function receiveFile(
  files: WorkspaceFiles,
  name: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<InboxAnswer> {
  const text = decodeText(Buffer.concat(await Array.fromAsync(pieces)), name, false);
  const path = await files.freePath(`inbox/${name}`, signal);
  const written = await files.writeText(path, text, { expect: "absent", signal });
  return { path: written.path, bytes: written.bytes };
}
