import type { Stats } from "node:fs";
import { AlreadyExistsError, ConflictError } from "../errors/request-errors.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { assertReplaceable, copyBytes, statSafely, withOpenFile, writeFile } from "./regular-file.ts";
import { decodeText } from "./decode-text.ts";
import { type Folder, statEntry } from "./folder.ts";

/** Only writers without the lock, such as an editor, cause another attempt. */
const ATTEMPTS = 5;
/** The number of bytes to check for text. */
const CHECKED_BYTES = 1 << 20;
const LINE_FEED = 0x0a;

/** The file changed between the copy and the replacement. */
class ConcurrentChange extends Error {}

const isSame = (one: Stats | undefined, other: Stats): boolean =>
  one?.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

interface AppendResult {
  /** The size of the whole file afterwards. */
  bytes: number;
  created: boolean;
  /** True if a line break was added before the text. */
  lineBreak: boolean;
}

async function extend(
  folder: Folder,
  name: string,
  text: string,
  signal: AbortSignal | undefined,
): Promise<Pick<AppendResult, "bytes" | "lineBreak">> {
  return await withOpenFile(folder, name, async (source, before) => {
    // Checks only the beginning: this rejects pictures and does not read a huge log twice.
    const head = Buffer.alloc(Math.min(CHECKED_BYTES, before.size));
    const { bytesRead } = await source.read(head, 0, head.length, 0);
    decodeText(head.subarray(0, bytesRead), `${folder.label}/${name}`, bytesRead < before.size);
    const given = Buffer.from(text, "utf8");
    let added = given;
    await writeFile(
      folder,
      name,
      async (copy) => {
        const { copied, last } = await copyBytes(source, copy, before.size, signal);
        if (copied < before.size) throw new ConcurrentChange();
        if (last !== undefined && last !== LINE_FEED && !text.startsWith("\n"))
          added = Buffer.concat([Buffer.of(LINE_FEED), given]);
        await copy.writeFile(added, { signal });
      },
      {
        expect: "any",
        mode: before.mode,
        signal,
        beforeNaming: async () => {
          if (!isSame(await statEntry(folder, name), before)) throw new ConcurrentChange();
        },
      },
    );
    return { bytes: before.size + added.length, lineBreak: added.length > given.length };
  });
}

/**
 * Appends text to a file on a new line, or creates the file. Replaces the whole file atomically. Retries if another writer
 * changed the file meanwhile, and throws `ConflictError` after several attempts.
 */
export async function appendToFile(
  folder: Folder,
  name: string,
  text: string,
  signal: AbortSignal | undefined,
): Promise<AppendResult> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    signal?.throwIfAborted();
    const before = await statSafely(folder, name);
    if (before) assertReplaceable(before, `${folder.label}/${name}`);
    try {
      if (before) return { ...(await extend(folder, name, text, signal)), created: false };
      const bytes = Buffer.from(text, "utf8");
      await writeFile(folder, name, (handle) => handle.writeFile(bytes, { signal }), {
        expect: "absent",
        signal,
      });
      return { bytes: bytes.length, created: true, lineBreak: false };
    } catch (error) {
      const wasRemovedOrCreated = error instanceof FileNotFoundError || error instanceof AlreadyExistsError;
      if (!(error instanceof ConcurrentChange) && !wasRemovedOrCreated) throw error;
    }
  }
  throw new ConflictError(`${folder.label}/${name} is being changed by another program.`, {
    suggestions: ["Try again in a moment."],
  });
}
