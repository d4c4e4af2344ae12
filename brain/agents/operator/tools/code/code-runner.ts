import type { CodeTools } from "@metahuman/sandbox/code/code-tools";
import type { Sandbox } from "@metahuman/sandbox/sandbox";

/** What code is read and run with. One for the whole process: runs of all profiles share its few processes. */
export interface CodeRunner {
  sandbox: Sandbox;
  tools: CodeTools;
  /**
   * A secret of the environment, for a function that was granted it by name; nothing where it is not set. Throws
   * `PermissionDeniedError` for one that functions may not have.
   */
  secret(name: string): string | undefined;
}
