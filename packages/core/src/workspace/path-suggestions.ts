import { AlreadyExistsError } from "../errors/request-errors.ts";
import { FileNotFoundError } from "../errors/not-found-errors.ts";
import type { Place, Workspace } from "./workspace.ts";
import { nearest } from "../errors/nearest.ts";
import { parse } from "node:path";
import type { ConfinedPath } from "../paths/file-names.ts";
import { statEntry, walk } from "./folder.ts";

/** Runs `work`. Adds the nearest existing paths to a "not found" error and a free path to an "already exists" error. */
export async function withPathSuggestions<Result>(
  workspace: Workspace,
  place: Place,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const context = { path: place.path };
    if (error instanceof FileNotFoundError && error.suggestions.length === 0) {
      const suggestions = await nearestPaths(workspace, place, signal);
      throw new FileNotFoundError(error.message, { suggestions, context, cause: error });
    }
    if (error instanceof AlreadyExistsError && error.suggestions.length === 0) {
      const suggestions = [await freePath(workspace, place, signal)];
      throw new AlreadyExistsError(error.message, { suggestions, context, cause: error });
    }
    throw error;
  }
}

/** The maximum number of entries to read per root, which bounds the time for a huge root. */
export const MAX_ENTRIES = 2_000;

/** Existing paths similar to the missing one, best first: in its own root, then in the others. */
async function nearestPaths(workspace: Workspace, missing: Place, signal?: AbortSignal): Promise<string[]> {
  const paths = new Map<string, string>();
  const roots = [missing.root, ...[...workspace.roots.keys()].filter((root) => root !== missing.root)];
  for (const root of roots) {
    let seen = 0;
    // A missing root has no suggestions.
    const found = workspace.inside(workspace.place(root), { signal }, async (folder) => {
      for await (const { segments, kind } of walk(folder, { recursive: true, signal })) {
        const path = [root, ...segments].join("/").normalize("NFC");
        // The parents of the missing path are not useful suggestions.
        if (kind !== "other" && !missing.path.startsWith(`${path}/`)) paths.set(path, segments.at(-1) ?? "");
        seen += 1;
        if (seen >= MAX_ENTRIES) break;
      }
    });
    await found.catch((error: unknown) => {
      if (signal?.aborted) throw error;
    });
  }
  return mostSimilar(missing, paths);
}

/** The three paths most similar to the missing one: those with a similar name, then those with a similar path. */
export function mostSimilar(
  missing: ConfinedPath,
  /** The name of each path. */
  paths: ReadonlyMap<string, string>,
): string[] {
  const byPath = nearest(missing.path, paths.keys());
  const wanted = missing.segments.at(-1) ?? missing.root;
  const sameName = nearest(wanted, new Set(paths.values())).flatMap((name) =>
    [...paths].filter(([, other]) => other === name).map(([path]) => path),
  );
  return [...new Set([...sameName.slice(0, 3), ...byPath])].slice(0, 3);
}

const MAX_ATTEMPTS = 1_000;

/** A free path next to `taken`: `notes.md` → `notes-2.md`. */
export async function freePath(workspace: Workspace, taken: Place, signal?: AbortSignal): Promise<string> {
  return await workspace.at(
    taken,
    { signal },
    async (folder, name) =>
      `${folder.label}/${await freeName(name, async (other) => (await statEntry(folder, other)) !== undefined)}`,
  );
}

/** The first free name next to a taken one: `notes.md` → `notes-2.md`. */
export async function freeName(
  taken: string,
  isTaken: (candidate: string) => Promise<boolean>,
): Promise<string> {
  const { name: stem, ext: extension } = parse(taken);
  for (let number = 2; number < MAX_ATTEMPTS; number += 1) {
    const candidate = `${stem}-${number}${extension}`;
    if (!(await isTaken(candidate))) return candidate;
  }
  return `${stem}-${Date.now()}${extension}`;
}
