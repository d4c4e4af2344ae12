import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import { nameOf } from "./workspace-path.ts";

/**
 * Returns the final path of a file that is moved or copied. An existing folder or a path with a trailing slash means
 * "into it, under the same name".
 */
export async function destinationOf(files: WorkspaceFiles, from: string, to: string): Promise<string> {
  const { path } = files.resolve(to);
  const source = files.resolve(from).path;
  const intoFolder = path !== source && (to.endsWith("/") || (await files.state(path)).kind === "folder");
  return intoFolder ? `${path}/${nameOf(source)}` : path;
}
