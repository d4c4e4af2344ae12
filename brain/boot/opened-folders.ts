import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { homePaths } from "@metahuman/core/paths/data-root";
import { checkRoots } from "@metahuman/core/workspace/check-roots";

type Roots = ProfileSettings["workspaceRoots"];

/**
 * Whether folders may be opened to an operator besides those that are. Throws `InvalidArgsError` for one that is not
 * there, is no folder, or belongs to the system or to a profile. What was opened before may be away for a while.
 */
export async function checkOpenedFolders(home: string, before: Roots, after: Roots): Promise<void> {
  const opened = Object.entries(after).filter(([name, path]) => before[name] !== path);
  await checkRoots(Object.fromEntries(opened), [homePaths(home).profiles]);
}
