import type { CodeTools } from "@metahuman/sandbox/code/code-tools";
import type { Sandbox } from "@metahuman/sandbox/sandbox";

/** Compiles and runs code. One for the whole process: the runs of all profiles share its worker processes. */
export interface CodeRunner {
  sandbox: Sandbox;
  tools: CodeTools;
  /**
   * A secret of the environment by name, or undefined when it is not set. Throws `PermissionDeniedError` for one that
   * functions may not use.
   */
  secret(name: string): string | undefined;
}
