import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-errors";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";

export interface OpenedCodeRunner extends CodeRunner {
  /** Returns the runner for one person; the sandbox and the checks of code are shared fairly between people. */
  forOwner(username: string): CodeRunner;
  /** Ends the work of this runner. Its processes are shared with other runners. */
  close(): void;
}

/** Does one work after the other. */
function inTurn(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const working = last.then(work);
    last = working.catch(() => undefined);
    return working;
  };
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
  // The tools check the code of all people in one line, so each person has at most one piece of code in it.
  const toolsOfOne = (): CodeRunner["tools"] => {
    const ask = inTurn();
    return {
      compile: (sources, signal) => ask(() => codeTools.compile(sources, orClosed(signal))),
      compileSnippet: (code, signal) => ask(() => codeTools.compileSnippet(code, orClosed(signal))),
      inspect: (sources, signal, onFound) => ask(() => codeTools.inspect(sources, orClosed(signal), onFound)),
    };
  };
  const toolsOf = new Map<string, CodeRunner["tools"]>();
  const toolsFor = (owner: string): CodeRunner["tools"] => {
    const tools = toolsOf.get(owner) ?? toolsOfOne();
    toolsOf.set(owner, tools);
    return tools;
  };
  const runner: CodeRunner = { sandbox: sandboxFor(undefined), tools: toolsOfOne(), secret };
  return {
    ...runner,
    forOwner: (username) => ({ secret, sandbox: sandboxFor(username), tools: toolsFor(username) }),
    close: () => closing.abort(new SandboxCrashedError("The sandbox is closed.")),
  };
}
