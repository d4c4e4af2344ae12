import { MetahumanError } from "./metahuman-error.ts";

/** The path leads out of the workspace, or to something in it that is kept out of reach. */
export class PathOutsideWorkspaceError extends MetahumanError {
  override readonly name = "PathOutsideWorkspaceError";
  readonly code = "PATH_OUTSIDE_WORKSPACE";
}
