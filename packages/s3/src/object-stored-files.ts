import { Readable } from "node:stream";
import type { StoredFiles } from "@metahuman/core/transfer/stored-files";
import { alreadyExists } from "@metahuman/core/workspace/regular-file";
import { ObjectChangedError, type ObjectStore } from "./object-store.ts";

/** The files of a profile in an object store, for its export and import: keys are the paths of an export. */
export function objectStoredFiles(store: ObjectStore): StoredFiles {
  return {
    async *below(folders, signal) {
      for (const folder of folders)
        for await (const object of store.list(`${folder}/`, { signal })) {
          const { key, modified } = object;
          if (!key.endsWith("/"))
            yield { path: key, modified, open: () => Readable.from(bytesOf(store, object)) };
        }
    },
    async read(key) {
      const object = await store.head(key);
      return object && Buffer.concat(await Array.fromAsync(bytesOf(store, object)));
    },
    sizeOf: async (key) => (await store.head(key))?.bytes,
    async create(key, bytes) {
      try {
        await store.write(key, bytes, { isAbsent: true });
      } catch (error) {
        throw error instanceof ObjectChangedError ? alreadyExists(key) : error;
      }
    },
    replace: (key, bytes) => store.write(key, bytes),
  };
}

async function* bytesOf(
  store: ObjectStore,
  object: { key: string; etag: string },
): AsyncGenerator<Uint8Array> {
  yield* await store.read(object);
}
