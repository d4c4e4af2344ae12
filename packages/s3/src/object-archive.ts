import type { ArchiveEntry } from "@metahuman/core/contract/http";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { ConfinedPath } from "@metahuman/core/paths/file-names";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import {
  ARCHIVE_ID,
  ArchivedEntry,
  describeArchived,
  toArchiveEntry,
  toListedEntry,
} from "@metahuman/core/workspace/archived-entry";
import { alreadyExists, fileNotFound } from "@metahuman/core/workspace/regular-file";
import { assertMovable, type ObjectWorkspace } from "./object-files.ts";
import { ObjectChangedError, type ObjectStore } from "./object-store.ts";
import { parseJson } from "@metahuman/core/contract/parse-json";

/** As in the folder of a profile: one folder for each entry, with its description and its payload. */
const ARCHIVE = "memory/archive/files/";
const PARALLEL_READS = 16;
const descriptionOf = (id: string): string => `${ARCHIVE}${id}/entry.json`;
const payloadOf = (id: string): string => `${ARCHIVE}${id}/payload`;

/** `ArchivePort` in an object store. */
export function objectArchive(
  { store, tree, moves, exclusively }: ObjectWorkspace,
  now: () => Date = () => new Date(),
): ArchivePort {
  /** Archives what is at a place, if anything is, under the write lock, which the caller holds. */
  async function moveToArchive(
    where: ConfinedPath,
    { recursive, runId, verify, signal }: Parameters<ArchivePort["removeFile"]>[1],
  ): Promise<ArchiveEntry | undefined> {
    const found = await tree.find(where, signal);
    if (!found) return undefined;
    const from = found.kind === "file" ? found.object.key : found.key;
    if (found.kind === "folder") {
      if (!recursive)
        throw new InvalidArgsError(`${where.path} is a folder.`, {
          suggestions: ["Set recursive to true to delete the folder with its contents."],
          context: { path: where.path },
        });
      await assertMovable(store, from, "the archive");
    }
    await verify?.();
    const holds = { holds: found.kind, bytes: found.kind === "file" ? found.object.bytes : 0 };
    const entry = describeArchived(where, holds, { now: now(), reason: "deleted", runId });
    await put(store, entry, () =>
      moves.move({ from, to: payloadOf(entry.id), kind: found.kind, overwrite: false }),
    );
    return toArchiveEntry(entry);
  }

  /** Moves the payload of an entry to a place under the write lock, which the caller holds. */
  async function moveBack({ id, holds }: ArchivedEntry, where: ConfinedPath): Promise<void> {
    await moves.move({ from: payloadOf(id), to: where.path, kind: holds, overwrite: false });
    await store.remove(descriptionOf(id));
  }

  return {
    async removeFile(path, options) {
      const where = tree.place(path);
      if (where.segments.length === 0)
        throw new PermissionDeniedError(`${where.path}/ itself cannot be deleted.`, {
          context: { path: where.path },
        });
      return tree.withSuggestions(where, () =>
        exclusively(async () => {
          const removed = await moveToArchive(where, options);
          if (!removed) throw fileNotFound(where.path);
          return { path: where.path, removed };
        }),
      );
    },
    async keepCopy(path, { runId, signal }) {
      const where = tree.place(path);
      const object = await tree.findFile(where, signal);
      const holds = { holds: "file" as const, bytes: object.bytes };
      const entry = describeArchived(where, holds, { now: now(), reason: "overwritten", runId });
      await put(store, entry, () => store.copy(object, payloadOf(entry.id)));
      return toArchiveEntry(entry);
    },
    list: async () => (await listEntries(store)).map(toListedEntry),
    async read(id, { maxBytes, signal }) {
      const found = await readEntry(store, id);
      const entry = toListedEntry(found);
      const object = found.holds === "file" ? await store.head(payloadOf(id)) : undefined;
      if (!object) return { entry };
      const range = { from: 0, length: Math.min(maxBytes, object.bytes) };
      return { entry, bytes: Buffer.concat(await Array.fromAsync(await store.read(object, range, signal))) };
    },
    async restore(id, { replace = false, to, signal } = {}) {
      const { entry, where, replaced } = await exclusively(async () => {
        const entry = await readEntry(store, id);
        const where = tree.place(to ?? entry.origin);
        return await tree.withSuggestions(where, async () => {
          const how = { recursive: true, ...(signal && { signal }) };
          const replaced = replace ? await moveToArchive(where, how) : undefined;
          try {
            await tree.assertFoldersAbove(where, signal);
            if (entry.holds === "folder" && (await tree.find(where, signal))) throw alreadyExists(where.path);
            await moveBack(entry, where);
          } catch (error) {
            if (replaced) await moveBack(await readEntry(store, replaced.id), where);
            throw error;
          }
          return { entry, where, replaced };
        });
      });
      const restored = { ...toArchiveEntry(entry), origin: where.path };
      return { restored, ...(replaced && { replaced }) };
    },
  };
}

/** Stores a description, then the payload. If that fails, the description is removed, unless the payload exists. */
async function put(store: ObjectStore, entry: ArchivedEntry, fill: () => Promise<void>): Promise<void> {
  await store.write(descriptionOf(entry.id), `${JSON.stringify(entry, null, 2)}\n`);
  try {
    await fill();
  } catch (error) {
    if (!(await hasPayload(store, entry.id))) await store.remove(descriptionOf(entry.id));
    throw error;
  }
}

async function hasPayload(store: ObjectStore, id: string): Promise<boolean> {
  for await (const { key } of store.list(payloadOf(id), { limit: 1 })) return key.startsWith(payloadOf(id));
  return false;
}

async function readEntry(store: ObjectStore, id: string): Promise<ArchivedEntry> {
  if (!ARCHIVE_ID.test(id)) throw new NotFoundError("The archive has no entry with this id.");
  const entry = await readDescription(store, id);
  if (!entry) throw new NotFoundError("The archive has no entry with this id.");
  if (!(await hasPayload(store, id)))
    throw new NotFoundError("The content of this archive entry no longer exists.");
  return entry;
}

/** Undefined if it is missing or unreadable; its payload then stays. */
async function readDescription(store: ObjectStore, id: string): Promise<ArchivedEntry | undefined> {
  const object = await store.head(descriptionOf(id));
  if (!object) return undefined;
  try {
    const text = Buffer.concat(await Array.fromAsync(await store.read(object))).toString();
    return ArchivedEntry.safeParse(parseJson(text)).data;
  } catch (error) {
    if (error instanceof ObjectChangedError) return undefined;
    throw error;
  }
}

/** Entries with a payload, newest first. */
async function listEntries(store: ObjectStore): Promise<ArchivedEntry[]> {
  const withPayload = new Set<string>();
  for await (const { key } of store.list(ARCHIVE)) {
    const [id = "", name] = key.slice(ARCHIVE.length).split("/");
    if (name === "payload" && ARCHIVE_ID.test(id)) withPayload.add(id);
  }
  const ids = [...withPayload].sort().reverse();
  const entries: ArchivedEntry[] = [];
  for (let next = 0; next < ids.length; next += PARALLEL_READS) {
    const read = ids.slice(next, next + PARALLEL_READS).map((id) => readDescription(store, id));
    for (const entry of await Promise.all(read)) if (entry) entries.push(entry);
  }
  return entries;
}
