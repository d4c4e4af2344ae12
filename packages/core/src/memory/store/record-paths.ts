import { posix, relative, sep } from "node:path";
import type { MemoryRecord, MemoryType } from "../../contract/memory.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";
import { randomInt } from "node:crypto";

/** The folder of each memory type, relative to the memory folder, with `/`. */
export type RecordFolders = Readonly<Record<MemoryType, string>>;

export function recordFolders(memory: ProfilePaths["memory"]): RecordFolders {
  const relativePath = (folder: string): string => relative(memory.root, folder).split(sep).join(posix.sep);
  return {
    conversation: relativePath(memory.episodic),
    observation: relativePath(memory.episodic),
    tool_invocation: relativePath(memory.episodic),
    action: relativePath(memory.actions),
    inner_dialogue: relativePath(memory.reflections),
    reflection: relativePath(memory.reflections),
    dream: relativePath(memory.dreams),
    audio: relativePath(memory.audio),
    curiosity_question: relativePath(memory.curiosity),
    function_usage: relativePath(memory.functionUsage),
    curated: relativePath(memory.curated),
    pattern: relativePath(memory.patterns),
  };
}

/** The record folders that are not inside another one. */
export function topFolders(folders: RecordFolders): string[] {
  const all = [...new Set(Object.values(folders))];
  return all.filter((folder) => !all.some((other) => folder.startsWith(`${other}/`)));
}

/** The path of a new record. A record that was moved by hand keeps its path. */
export function recordPath(folders: RecordFolders, record: Pick<MemoryRecord, "id" | "type">): string {
  return `${folders[record.type]}/${yearOf(record.id)}/${record.id}.json`;
}

/** Every default path of a record with this id. */
export function possiblePaths(folders: RecordFolders, id: string): string[] {
  return [...new Set(Object.values(folders))].map((folder) => `${folder}/${yearOf(id)}/${id}.json`);
}

function yearOf(id: string): string {
  return id.slice("evt-".length, "evt-".length + 4);
}

/** Generates ids that sort by time: `<prefix>-20251114T093012123Z-<slug>`. */
export interface RecordIds {
  /**
   * A new id. Ids increase strictly within this process, even if the clock is set back. Another process may generate the
   * same id; exclusive file creation detects that.
   */
  next(slug: string): string;
}

export function createRecordIds(prefix: "evt" | "task", clock: () => Date): RecordIds {
  let last = 0;
  return {
    next(slug) {
      last = Math.max(clock().getTime(), last + 1);
      return `${prefix}-${new Date(last).toISOString().replaceAll(/[-:.]/g, "")}-${slug}`;
    },
  };
}

/** Four random characters that make an id unique without exclusive file creation. */
export function randomSuffix(): string {
  return randomInt(36 ** 4)
    .toString(36)
    .padStart(4, "0");
}
