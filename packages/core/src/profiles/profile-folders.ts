import { chmod } from "node:fs/promises";
import { fromNodeError } from "../errors/node-error.ts";
import { makeFolder } from "../memory/store/durable-file.ts";
import type { ProfilePaths } from "../paths/profile-paths.ts";

/** Makes the folders of a profile that are missing; the profile's own is closed to other users of the machine. */
export async function makeProfileFolders(paths: ProfilePaths): Promise<void> {
  const { memory } = paths;
  const folders = [
    memory.functionUsage,
    memory.reflections,
    memory.dreams,
    memory.curiosity,
    memory.curated,
    memory.audio,
    memory.patterns,
    memory.tasks.active,
    memory.tasks.completed,
    memory.functions,
    memory.archive.root,
    paths.out,
    paths.inbox,
    paths.logs.audit,
    paths.logs.runs,
  ];
  try {
    await makeFolder(paths.root, "the profile");
    await chmod(paths.root, 0o700);
    for (const folder of folders) await makeFolder(folder, "the profile");
  } catch (error) {
    throw fromNodeError(error, "the profile's folder");
  }
}
