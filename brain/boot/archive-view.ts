import { type ArchivedItem, MAX_ARCHIVED_TEXT } from "@metahuman/core/contract/archive";
import type { ArchiveEntry, Page } from "@metahuman/core/contract/http";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import { FileNotFoundError, NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { InvalidArgsError, PathOutsideWorkspaceError } from "@metahuman/core/errors/request-errors";
import type { OpenedFunctions } from "@metahuman/core/functions/open-functions";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import type { TasksPort } from "@metahuman/core/memory/tasks/tasks-port";
import { decodeCursor, pageOf } from "@metahuman/core/database/rows";
import type { ArchivePort } from "@metahuman/core/workspace/archive";
import { decodeText } from "@metahuman/core/workspace/decode-text";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { ArchiveView } from "./brain.ts";
import { foldText } from "@metahuman/core/text/words";

/**
 * Combines the archives of a profile into one list, newest first. Memories that were archived together with another one are left
 * out while that one is archived, because restoring it restores them, too. Lists by ids contain them.
 */
export function createArchiveView(parts: {
  archive: ArchivePort;
  files: WorkspaceFiles;
  memory: MemoryPort;
  tasks: TasksPort;
  functions: OpenedFunctions["archive"];
  schedules: Pick<SchedulesPort, "archived" | "readArchived" | "restore">;
  /** The person who restores. */
  username: string;
  /** Called after a file or folder is restored. */
  onFileRestored(): void;
}): ArchiveView {
  const all = async (): Promise<ArchiveEntry[]> => {
    const lists = await Promise.all([
      parts.archive.list(),
      parts.memory.archived(),
      parts.tasks.archived(),
      parts.functions.list(),
      parts.schedules.archived(),
    ]);
    return lists.flat().sort((a, b) => compare(b, a));
  };
  const find = async (id: string): Promise<ArchiveEntry> => {
    const entry = (await all()).find((archived) => archived.id === id);
    if (!entry) throw new NotFoundError("The archive has no item with this id.");
    return entry;
  };
  const itemOf = async ({ id, kind, origin }: ArchiveEntry, signal?: AbortSignal): Promise<ArchivedItem> => {
    switch (kind) {
      case "file":
        return await archivedFile(parts, { id, origin }, signal);
      case "memory":
        return { kind, memory: await parts.memory.readArchived(id) };
      case "task":
        return { kind, task: await parts.tasks.readArchived(id) };
      case "function": {
        const { title, summary, steps } = await parts.functions.read(id);
        return { kind, function: { title, summary, steps } };
      }
      case "schedule":
        return { kind, schedule: await parts.schedules.readArchived(id) };
      default:
        return kind satisfies never;
    }
  };
  return {
    async list({ limit, cursor, query = "", ids }): Promise<Page<ArchiveEntry>> {
      const words = foldText(query).split(/\s+/u).filter(Boolean);
      const archived = await all();
      const present = new Set(archived.map(({ id }) => id));
      const entries = archived.filter(({ id, title, origin, forgottenWith }) => {
        if (ids) {
          if (!ids.includes(id)) return false;
        } else if (forgottenWith !== undefined && present.has(forgottenWith)) return false;
        const text = foldText(`${title}\n${origin}`);
        return words.every((word) => text.includes(word));
      });
      const before = cursor === undefined ? undefined : decodeCursor(cursor, 2);
      const rest = before ? entries.filter((entry) => compareKeys(keysOf(entry), before) < 0) : entries;
      return pageOf(rest.slice(0, limit + 1), { limit, total: entries.length, keys: keysOf });
    },
    async get(id, signal) {
      const entry = await find(id);
      return { entry, item: await itemOf(entry, signal) };
    },
    async restore(id, { replace = false } = {}) {
      const entry = await find(id);
      switch (entry.kind) {
        case "file": {
          const answer = await parts.archive.restore(id, { replace });
          parts.onFileRestored();
          return answer;
        }
        case "memory":
          await parts.memory.restore(id);
          return { restored: entry };
        case "task":
          await parts.tasks.restore(id);
          return { restored: entry };
        case "function":
          await parts.functions.restore(id, { by: parts.username, isPerson: true, isOwner: false });
          return { restored: entry };
        case "schedule":
          await parts.schedules.restore(id);
          return { restored: entry };
        default:
          return entry.kind satisfies never;
      }
    },
  };
}

/** The text of an archived file and the one that is at its path now, as far as they are shown. */
async function archivedFile(
  { archive, files }: { archive: ArchivePort; files: WorkspaceFiles },
  { id, origin }: Pick<ArchiveEntry, "id" | "origin">,
  signal?: AbortSignal,
): Promise<ArchivedItem> {
  const limits = { maxBytes: MAX_ARCHIVED_TEXT, ...(signal && { signal }) };
  const { entry, bytes } = await archive.read(id, limits);
  if (!bytes) return { kind: "folder" };
  const isClipped = (entry.bytes ?? 0) > bytes.length;
  const text = await unlessUnreadable(async () => decodeText(bytes, origin, isClipped));
  const present = await unlessUnreadable(() => files.readText(origin, limits));
  return {
    kind: "file",
    ...(text !== undefined && { text }),
    ...(present && { present: present.content }),
    truncated: isClipped || present?.truncated === true,
  };
}

/** Undefined for what is not text, does not exist, or is no longer in the workspace. */
async function unlessUnreadable<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    const isExpected =
      error instanceof InvalidArgsError ||
      error instanceof FileNotFoundError ||
      error instanceof PathOutsideWorkspaceError ||
      error instanceof PermissionDeniedError;
    if (isExpected) return undefined;
    throw error;
  }
}

const keysOf = ({ archivedAt, id }: ArchiveEntry) => [archivedAt, id];
const compare = (a: ArchiveEntry, b: ArchiveEntry) => compareKeys(keysOf(a), keysOf(b));

function compareKeys(a: readonly string[], b: readonly string[]): number {
  const position = a.findIndex((key, index) => key !== b[index]);
  if (position === -1) return 0;
  return (a[position] ?? "") < (b[position] ?? "") ? -1 : 1;
}
