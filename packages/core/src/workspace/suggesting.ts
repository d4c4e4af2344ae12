import { AlreadyExistsError } from "../errors/already-exists-error.ts";
import { FileNotFoundError } from "../errors/file-not-found-error.ts";
import { freePath } from "./free-path.ts";
import { nearestPaths } from "./nearest-paths.ts";
import type { Place, Workspace } from "./workspace.ts";

/** Does `work` on `place`; adds the nearest existing paths to "not found", and a free path to "already exists". */
export async function suggesting<Result>(
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
