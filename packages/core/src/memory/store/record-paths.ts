import { posix, relative, sep } from "node:path";
import type { MemoryRecord, MemoryType } from "../../contract/memory.ts";
import type { ProfilePaths } from "../../paths/profile-paths.ts";

/** Where each type of memory is filed; paths relative to the memory folder, with `/`. */
export type RecordFolders = Readonly<Record<MemoryType, string>>;

export function recordFolders(memory: ProfilePaths["memory"]): RecordFolders {
  const place = (folder: string): string => relative(memory.root, folder).split(sep).join(posix.sep);
  return {
    conversation: place(memory.episodic),
    observation: place(memory.episodic),
    tool_invocation: place(memory.episodic),
    action: place(memory.actions),
    inner_dialogue: place(memory.reflections),
    reflection: place(memory.reflections),
    dream: place(memory.dreams),
    audio: place(memory.audio),
    curiosity_question: place(memory.curiosity),
    function_usage: place(memory.functionUsage),
    curated: place(memory.curated),
    pattern: place(memory.patterns),
  };
}

/** The folders that hold records, none inside another. */
export function topFolders(folders: RecordFolders): string[] {
  const all = [...new Set(Object.values(folders))];
  return all.filter((folder) => !all.some((other) => folder.startsWith(`${other}/`)));
}

/** Where a record is filed when it is new; one that was moved by hand stays where it is. */
export function recordPath(folders: RecordFolders, record: Pick<MemoryRecord, "id" | "type">): string {
  return `${folders[record.type]}/${yearOf(record.id)}/${record.id}.json`;
}

/** Every path a record of this id has when nobody moved it. */
export function possiblePaths(folders: RecordFolders, id: string): string[] {
  return [...new Set(Object.values(folders))].map((folder) => `${folder}/${yearOf(id)}/${id}.json`);
}

function yearOf(id: string): string {
  return id.slice("evt-".length, "evt-".length + 4);
}
