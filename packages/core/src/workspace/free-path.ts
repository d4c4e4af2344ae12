import { parse } from "node:path";
import { lookAt } from "./folder.ts";
import type { Place, Workspace } from "./workspace.ts";

const TRIED = 1_000;

/** A path beside `taken` at which nothing is: `notes.md` → `notes-2.md`. */
export async function freePath(workspace: Workspace, taken: Place, signal?: AbortSignal): Promise<string> {
  return await workspace.at(taken, { signal }, async (folder, name) => {
    const { name: stem, ext: extension } = parse(name);
    for (let number = 2; number < TRIED; number += 1) {
      const candidate = `${stem}-${number}${extension}`;
      if (!(await lookAt(folder, candidate))) return `${folder.label}/${candidate}`;
    }
    return `${folder.label}/${stem}-${Date.now()}${extension}`;
  });
}
