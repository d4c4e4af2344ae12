import type { ArchiveEntry } from "../../contract/http.ts";
import { FunctionNotFoundError } from "../../errors/not-found-errors.ts";
import { EVERY_AGENT } from "../../contract/function.ts";
import type { FunctionsPort } from "../functions-port.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";

/** How long a deletion can be undone, in days. */
const UNDO_DAYS = 30;
const DAY_MS = 86_400_000;

export type Removing = Pick<
  FunctionsPort,
  "deleteFunction" | "restoreFunction" | "listDeleted" | "deletedFunctions"
>;

/** Deletes and restores functions. */
export function createRemovalMethods(parts: LifecycleDependencies): Removing {
  const { scope, store, archive, lock } = parts;
  const note = createAuditWriter(parts);

  /** The deleted functions of this scope. */
  async function readDeleted(): Promise<{ archiveId: string; archivedAt: string; stored: StoredFunction }[]> {
    const entries = await archive.list();
    const found = await Promise.all(
      entries.map(async ({ id: archiveId, archivedAt }) => {
        const content = await archive.read(archiveId);
        return "value" in content ? [{ archiveId, archivedAt, stored: content.value }] : [];
      }),
    );
    return found
      .flat()
      .filter(
        ({ stored }) =>
          (scope.agentId === EVERY_AGENT || stored.scope.agentId === scope.agentId) &&
          stored.scope.userId === scope.userId,
      );
  }

  return {
    async deleteFunction(id, actor) {
      const { stored: deletedFunction, entry } = await lock.hold(async () => {
        const { function: stored, path } = await store.find(scope, id);
        const archived = await archive.put(
          { function: stored, path },
          { title: stored.title, origin: "memory/functions", runId: actor.runId },
        );
        await store.reindex([path]);
        return { stored, entry: archived };
      });
      await note("function_deleted", deletedFunction, actor);
      return entry;
    },
    async restoreFunction(id, actor) {
      const restored = await lock.hold(async () => {
        const last = (await readDeleted()).find(({ stored }) => stored.id === id);
        if (!last)
          throw new FunctionNotFoundError(`No function with the id ${id.slice(0, 100)} was deleted.`);
        const { archiveId, stored } = last;
        const path = await archive.restore(archiveId, stored);
        // Another function may have taken its name meanwhile.
        const taken = await store.findByName(stored.scope, stored.name);
        if (!taken || taken.function.id === stored.id) {
          await store.reindex([path]);
          return stored;
        }
        return store.replace(path, { ...stored, name: await store.freeName(stored.scope, stored.name) });
      });
      await note("function_restored", restored, actor);
      return firstOf(await store.withEvidence([restored]));
    },
    async deletedFunctions() {
      return (await readDeleted()).map(({ stored }) => stored);
    },
    async listDeleted() {
      return (await readDeleted()).map(({ archivedAt, stored: { id, title } }) => ({
        id,
        title,
        deletedAt: archivedAt,
        purgedAt: new Date(Date.parse(archivedAt) + UNDO_DAYS * DAY_MS).toISOString(),
      }));
    },
  };
}

/** Purges functions whose deletion can no longer be undone, with their history. Returns their number. */
export async function purgeDeleted({
  archive,
  history,
  proposals,
  evidence,
  lock,
  clock,
}: Omit<LifecycleDependencies, "scope">): Promise<number> {
  const before = clock().getTime() - UNDO_DAYS * DAY_MS;
  const isOld = ({ archivedAt }: ArchiveEntry): boolean => Date.parse(archivedAt) < before;
  if (!(await archive.list()).some(isOld)) return 0;
  return lock.hold(async () => {
    // Checked again under the lock, because the function may have been restored meanwhile.
    const old = (await archive.list()).filter(isOld);
    for (const { id: archiveId } of old) {
      const [functionId = archiveId] = archiveId.split("~");
      await archive.purge(archiveId);
      await history.purge(functionId);
      await proposals.purge(functionId);
      await evidence.forget(functionId);
    }
    return old.length;
  });
}
