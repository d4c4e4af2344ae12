import type { Stats } from "node:fs";
import { AlreadyExistsError, ConflictError } from "../errors/request-errors.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import { assertReplaceable, copyBytes, inspect, readingFile } from "./regular-file.ts";
import { decodeText } from "./decode-text.ts";
import { type Folder, lookAt } from "./folder.ts";
import { writeFile } from "./write-file.ts";

/** Only writers that know of no lock, such as an editor, can make it start again. */
const ATTEMPTS = 5;
/** How much of a file is looked at to tell text from pictures. */
const JUDGED = 1 << 20;
const LINE_FEED = 0x0a;

/** The file changed between being copied and being replaced. */
class ChangedMeanwhile extends Error {}

const isSame = (one: Stats | undefined, other: Stats): boolean =>
  one?.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

async function extend(
  folder: Folder,
  name: string,
  text: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  return await readingFile(folder, name, async (source, before) => {
    // Only the beginning is judged: a picture is refused, a huge log is not read twice.
    const head = Buffer.alloc(Math.min(JUDGED, before.size));
    const { bytesRead } = await source.read(head, 0, head.length, 0);
    decodeText(head.subarray(0, bytesRead), `${folder.label}/${name}`, bytesRead < before.size);
    let added = Buffer.from(text, "utf8");
    await writeFile(
      folder,
      name,
      async (copy) => {
        const { copied, last } = await copyBytes(source, copy, before.size, signal);
        if (copied < before.size) throw new ChangedMeanwhile();
        if (last !== undefined && last !== LINE_FEED && !text.startsWith("\n"))
          added = Buffer.concat([Buffer.of(LINE_FEED), added]);
        await copy.writeFile(added, { signal });
      },
      {
        expect: "any",
        mode: before.mode,
        signal,
        beforeNaming: async () => {
          if (!isSame(await lookAt(folder, name), before)) throw new ChangedMeanwhile();
        },
      },
    );
    return before.size + added.length;
  });
}

/**
 * Adds text at the end of a file, on a line of its own; makes the file when it is missing. The whole file is replaced
 * in one act, and never over what another writer, in this process or another, put there meanwhile: then it starts
 * again, and gives up with `ConflictError` when that goes on.
 */
export async function appendToFile(
  folder: Folder,
  name: string,
  text: string,
  signal: AbortSignal | undefined,
): Promise<{ bytes: number; created: boolean }> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    signal?.throwIfAborted();
    const before = await inspect(folder, name);
    if (before) assertReplaceable(before, `${folder.label}/${name}`);
    try {
      if (before) return { bytes: await extend(folder, name, text, signal), created: false };
      const bytes = Buffer.from(text, "utf8");
      await writeFile(folder, name, (handle) => handle.writeFile(bytes, { signal }), {
        expect: "absent",
        signal,
      });
      return { bytes: bytes.length, created: true };
    } catch (error) {
      const goneOrCome = error instanceof FileNotFoundError || error instanceof AlreadyExistsError;
      if (!(error instanceof ChangedMeanwhile) && !goneOrCome) throw error;
    }
  }
  throw new ConflictError(`${folder.label}/${name} is being changed by somebody else.`, {
    suggestions: ["Try again in a moment."],
  });
}
