import { randomUUID } from "node:crypto";
import { z } from "zod";
import { AlreadyExistsError, ConflictError } from "@metahuman/core/errors/request-errors";
import { alreadyExists } from "@metahuman/core/workspace/regular-file";
import { ROOTS } from "./object-tree.ts";
import { ObjectChangedError, type ObjectStore, type StoredObject } from "./object-store.ts";

/**
 * A move that has begun. Objects cannot be renamed: they are copied, then removed. A process that ends in between leaves
 * this note, so that the next change of the workspace undoes the copying, or completes the removal.
 */
const MoveNote = z.strictObject({
  from: z.string(),
  to: z.string(),
  kind: z.enum(["file", "folder"]),
  phase: z.enum(["copying", "removing"]),
  /** Whether everything at `to` was written by this move. */
  ownsTarget: z.boolean(),
});
type MoveNote = z.infer<typeof MoveNote>;

export interface ObjectMove extends Pick<MoveNote, "from" | "to" | "kind"> {
  /** Whether a file at `to` is replaced. A folder is never replaced. */
  overwrite: boolean;
}

/** Moves of files and folders. Every method requires the write lock. */
export interface ObjectMoves {
  /** Throws `AlreadyExistsError` if the target is taken, `ConflictError` if the source changes meanwhile. */
  move(move: ObjectMove): Promise<void>;
  /** Ends the moves of processes that have ended. */
  finishInterrupted(): Promise<void>;
}

/** The folder of the notes, next to the archive. */
const NOTES = "memory/archive/moves/";
const PARALLEL_COPIES = 8;

export function openObjectMoves(store: ObjectStore): ObjectMoves {
  const save = (key: string, note: MoveNote) => store.write(key, JSON.stringify(note));

  /** Removes what the move has made: copies of what is still at its old place, and the name it took. */
  async function undo({ from, to, kind, ownsTarget }: MoveNote): Promise<void> {
    if (!ownsTarget) return;
    const sources = await objectsOf(store, from, kind);
    const etags = new Map(sources.map(({ key, etag }) => [key.slice(from.length), etag]));
    const made = (await objectsOf(store, to, kind)).filter(
      ({ key, etag, bytes }) => bytes === 0 || etags.get(key.slice(to.length)) === etag,
    );
    await store.remove(...made.map(({ key }) => key));
  }

  async function removeSource({ from, to, kind }: MoveNote): Promise<void> {
    const sources = await objectsOf(store, from, kind);
    const copied = new Set((await objectsOf(store, to, kind)).map(({ key }) => key.slice(to.length)));
    // Content that another program wrote there since then stays.
    const done = sources.filter(({ key }) => copied.has(key.slice(from.length)));
    await store.remove(...done.map(({ key }) => key));
    await keepFolderAbove(store, from);
  }

  return {
    async move({ overwrite, ...move }) {
      const ownsTarget = !overwrite || move.kind === "folder";
      const key = `${NOTES}${randomUUID()}.json`;
      const note: MoveNote = { ...move, phase: "copying", ownsTarget };
      const sources = await objectsOf(store, move.from, move.kind);
      await save(key, note);
      try {
        if (ownsTarget && move.kind === "file") await reserve(store, move.to);
        await copyAll(store, sources, move);
      } catch (error) {
        // The file of another program has the name.
        if (!(error instanceof AlreadyExistsError)) await undo(note);
        await store.remove(key);
        throw error;
      }
      await save(key, { ...note, phase: "removing" });
      await removeSource(note);
      await store.remove(key);
    },
    async finishInterrupted() {
      for await (const object of store.list(NOTES)) {
        const text = Buffer.concat(await Array.fromAsync(await store.read(object))).toString();
        const note = MoveNote.parse(JSON.parse(text));
        if (note.phase === "copying") await undo(note);
        else await removeSource(note);
        await store.remove(object.key);
      }
    },
  };
}

/** Takes a name with an empty object, which the copy replaces. */
async function reserve(store: ObjectStore, key: string): Promise<void> {
  try {
    await store.write(key, "", { isAbsent: true });
  } catch (error) {
    throw error instanceof ObjectChangedError ? alreadyExists(key) : error;
  }
}

async function copyAll(
  store: ObjectStore,
  sources: readonly StoredObject[],
  { from, to }: Pick<ObjectMove, "from" | "to">,
): Promise<void> {
  try {
    for (let next = 0; next < sources.length; next += PARALLEL_COPIES)
      await Promise.all(
        sources
          .slice(next, next + PARALLEL_COPIES)
          .map((object) => store.copy(object, `${to}${object.key.slice(from.length)}`)),
      );
  } catch (error) {
    if (!(error instanceof ObjectChangedError)) throw error;
    throw new ConflictError(`${from} is being changed by another program.`, {
      suggestions: ["Try again in a moment."],
      cause: error,
    });
  }
}

/** The object of a file, or all objects of a folder. */
async function objectsOf(store: ObjectStore, key: string, kind: MoveNote["kind"]): Promise<StoredObject[]> {
  if (kind === "folder") return Array.fromAsync(store.list(`${key}/`));
  const object = await store.head(key);
  return object ? [object] : [];
}

/** Marks the source folder, which would disappear with its last file. */
async function keepFolderAbove(store: ObjectStore, key: string): Promise<void> {
  const folder = key.slice(0, key.lastIndexOf("/") + 1);
  // Roots and the archive need no mark.
  if (folder.split("/").length <= 2 || !ROOTS.some((root) => folder.startsWith(`${root}/`))) return;
  await store.write(folder, "", { isAbsent: true }).catch((error: unknown) => {
    if (!(error instanceof ObjectChangedError)) throw error;
  });
}
