import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-errors";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";

export interface OpenedCodeRunner extends CodeRunner {
  /** Returns the runner for one person; the sandbox is shared fairly between people. */
  forOwner(username: string): CodeRunner;
  /** Ends the work of this runner. Its processes are shared with other runners. */
  close(): void;
}

/** Opens the code runner of all profiles. Its processes start on first use. */
export function openCodeRunner(secret: CodeRunner["secret"]): OpenedCodeRunner {
  const closing = new AbortController();
  const orClosed = (signal: AbortSignal | undefined): AbortSignal =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const sandboxFor = (owner: string | undefined): CodeRunner["sandbox"] => ({
    run: (job) =>
      sandbox.run({ ...job, ...(owner !== undefined && { owner }), signal: orClosed(job.signal) }),
    test: (job) =>
      sandbox.test({ ...job, ...(owner !== undefined && { owner }), signal: orClosed(job.signal) }),
  });
  const runner: CodeRunner = {
    sandbox: sandboxFor(undefined),
    tools: {
      compile: (sources, signal) => codeTools.compile(sources, orClosed(signal)),
      compileSnippet: (code, signal) => codeTools.compileSnippet(code, orClosed(signal)),
      inspect: (sources, signal, onFound) => codeTools.inspect(sources, orClosed(signal), onFound),
    },
    secret,
  };
  return {
    ...runner,
    forOwner: (username) => ({ ...runner, sandbox: sandboxFor(username) }),
    close: () => closing.abort(new SandboxCrashedError("The sandbox is closed.")),
  };
}
