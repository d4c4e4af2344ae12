import type { ArchiveEntry, Page } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { OpenedFunctions } from "@metahuman/core/functions/open-functions";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { decodeCursor, folded, pageOf } from "@metahuman/core/database/keyset-page";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { ArchiveView } from "./brain.ts";

/**
 * Combines the archives of a profile into one list, newest first. Memories that were archived with another one are
 * listed only by their ids while that one is there: restoring it restores them.
 */
export function createArchiveView(parts: {
  files: ArchivePort;
  memory: MemoryPort;
  tasks: TasksPort;
  functions: OpenedFunctions["archive"];
  schedules: Pick<SchedulesPort, "archived" | "restore">;
  /** The person who restores. */
  username: string;
}): ArchiveView {
  const all = async (): Promise<ArchiveEntry[]> => {
    const lists = await Promise.all([
      parts.files.list(),
      parts.memory.archived(),
      parts.tasks.archived(),
      parts.functions.list(),
      parts.schedules.archived(),
    ]);
    return lists.flat().sort((a, b) => compare(b, a));
  };
  return {
    async list({ limit, cursor, query = "", ids }): Promise<Page<ArchiveEntry>> {
      const words = folded(query).split(/\s+/u).filter(Boolean);
      const archived = await all();
      const present = new Set(archived.map(({ id }) => id));
      const entries = archived.filter(({ id, title, origin, forgottenWith }) => {
        if (ids) {
          if (!ids.includes(id)) return false;
        } else if (forgottenWith !== undefined && present.has(forgottenWith)) return false;
        const text = folded(`${title}\n${origin}`);
        return words.every((word) => text.includes(word));
      });
      const before = cursor === undefined ? undefined : decodeCursor(cursor, 2);
      const rest = before ? entries.filter((entry) => compareKeys(keysOf(entry), before) < 0) : entries;
      return pageOf(rest.slice(0, limit + 1), { limit, total: entries.length, keys: keysOf });
    },
    async restore(id, { replace = false } = {}) {
      const entry = (await all()).find((archived) => archived.id === id);
      if (!entry) throw new NotFoundError("The archive has no item with this id.");
      switch (entry.kind) {
        case "file":
          return parts.files.restore(id, { replace });
        case "memory":
          await parts.memory.restore(id);
          return entry;
        case "task":
          await parts.tasks.restore(id);
          return entry;
        case "function":
          await parts.functions.restore(id, { by: parts.username, isPerson: true, isOwner: false });
          return entry;
        case "schedule":
          await parts.schedules.restore(id);
          return entry;
        default:
          return entry.kind satisfies never;
      }
    },
  };
}

const keysOf = ({ archivedAt, id }: ArchiveEntry) => [archivedAt, id];
const compare = (a: ArchiveEntry, b: ArchiveEntry) => compareKeys(keysOf(a), keysOf(b));

function compareKeys(a: readonly string[], b: readonly string[]): number {
  const position = a.findIndex((key, index) => key !== b[index]);
  if (position === -1) return 0;
  return (a[position] ?? "") < (b[position] ?? "") ? -1 : 1;
}
