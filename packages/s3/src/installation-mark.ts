import { ObjectChangedError, type ObjectStore } from "./object-store.ts";

/** Reads the mark of a prefix, or makes it. Servers that do so at the same moment get the same mark. */
export async function readOrCreateMark(
  store: ObjectStore,
  key: string,
  mark: string,
): Promise<{ mark: string; isNew: boolean }> {
  try {
    await store.write(key, `${mark}\n`, { isAbsent: true });
    return { mark, isNew: true };
  } catch (error) {
    if (!(error instanceof ObjectChangedError)) throw error;
  }
  const object = await store.head(key);
  if (!object) return readOrCreateMark(store, key, mark);
  const text = Buffer.concat(await Array.fromAsync(await store.read(object))).toString();
  return { mark: text.trim(), isNew: false };
}
