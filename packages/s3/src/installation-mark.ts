import { ConfigInvalidError } from "@metahuman/core/errors/request-errors";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { ObjectChangedError, type ObjectStore, type WriteCondition } from "./object-store.ts";

/**
 * Reads the mark of a prefix, or makes it. Servers that do so at the same moment get the same mark. Throws `ConfigInvalidError`
 * if the store does not check the conditions of writes.
 */
export async function readOrCreateMark(
  store: ObjectStore,
  key: string,
  mark: string,
): Promise<{ mark: string; isNew: boolean }> {
  const found = await readMark(store, key);
  const isNew = found === undefined && (await isWritten(store, key, mark, { isAbsent: true }));
  const stored = found ?? (isNew ? mark : await readMark(store, key));
  // Another server removed it, which was refused.
  if (stored === undefined) return await readOrCreateMark(store, key, mark);
  // An existing mark stays, even without conditional writes.
  for (const unmet of [{ isAbsent: true }, { etag: '"00000000000000000000000000000000"' }] as const)
    if (await isWritten(store, key, stored, unmet)) {
      if (isNew) await store.remove(key);
      throw uncheckedConditionsError();
    }
  return { mark: stored, isNew };
}

async function readMark(store: ObjectStore, key: string): Promise<string | undefined> {
  // A HEAD request is not enough: its response has no body to distinguish wrong credentials from missing rights.
  const [object] = await Array.fromAsync(store.list(key, { limit: 1 }));
  if (object?.key !== key) return undefined;
  return Buffer.concat(await Array.fromAsync(await store.read(object)))
    .toString()
    .trim();
}

/** Writes a mark on a condition; false if the condition is not met. */
async function isWritten(
  store: ObjectStore,
  key: string,
  mark: string,
  condition: WriteCondition,
): Promise<boolean> {
  try {
    await store.write(key, `${mark}\n`, condition);
    return true;
  } catch (error) {
    if (error instanceof ObjectChangedError) return false;
    if (error instanceof MetahumanError && error.context["status"] === NOT_IMPLEMENTED)
      throw uncheckedConditionsError(error);
    throw error;
  }
}

const NOT_IMPLEMENTED = 501;

function uncheckedConditionsError(cause?: unknown): ConfigInvalidError {
  return new ConfigInvalidError(
    "The object store does not check the conditions of writes, which servers need that share it.",
    {
      suggestions: [
        "Use a store that checks If-Match and If-None-Match of PutObject, or name a shared folder in METAHUMAN_WORKSPACE.",
      ],
      cause,
    },
  );
}
