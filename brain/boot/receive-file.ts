import type { InboxAnswer } from "@metahuman/core/contract/inbox";
import { decodeText } from "@metahuman/core/workspace/decode-text";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";

/**
 * Stores an uploaded text file in `inbox/` under its name, or under a free name beside it. Throws `InvalidArgsError`
 * for content that is not UTF-8 text, and errors of reading the pieces.
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
