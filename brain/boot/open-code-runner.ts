import type { CodeRunner } from "@metahuman/agents/operator/code/code-runner";
import { openCodeTools } from "@metahuman/sandbox/code/open-code-tools";
import { openSandbox } from "@metahuman/sandbox/open-sandbox";

export interface OpenedCodeRunner extends CodeRunner {
  close(): Promise<void>;
}

/** What code is read and run with, one for all profiles of this process. Nothing is started before its first use. */
export function openCodeRunner(secret: CodeRunner["secret"]): OpenedCodeRunner {
  const sandbox = openSandbox();
  const tools = openCodeTools();
  return {
    sandbox,
    tools,
    secret,
    async close() {
      await Promise.all([sandbox.close(), tools.close()]);
    },
  };
}
