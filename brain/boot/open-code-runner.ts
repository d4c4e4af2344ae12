import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import { createSerialQueue } from "@metahuman/core/async/serial-queue";
import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-errors";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";
import type { ModelsConfig } from "@metahuman/core/contract/models";
import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

export interface OpenedCodeRunner extends CodeRunner {
  /** Returns the runner for one person; the sandbox and the checks of code are shared fairly between people. */
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
  // The tools check the code of all people in one line, so each person has at most one piece of code in it.
  const toolsOfOne = (): CodeRunner["tools"] => {
    const ask = createSerialQueue();
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

interface FunctionSecretsOptions {
  env: Readonly<Record<string, string | undefined>>;
  config: () => { models: Pick<ModelsConfig, "providers">; skills: Pick<SkillsConfig, "secrets"> };
}

/**
 * Returns the secrets that functions may be granted by name. Throws `PermissionDeniedError` for other environment
 * variables: the keys of model servers and of the audit log, and those that the owner's list does not contain.
 */
export function functionSecrets({
  env,
  config,
}: FunctionSecretsOptions): (name: string) => string | undefined {
  return (name) => {
    const { models, skills } = config();
    const reserved = isModelKey(name, models.providers)
      ? "is the key of a model server"
      : name === "METAHUMAN_SECRET_KEY"
        ? "signs the audit log and encrypts stored keys"
        : undefined;
    if (reserved !== undefined)
      throw new PermissionDeniedError(`${name} ${reserved}, so functions cannot use it.`, {
        suggestions: ["Store the function's secret under another name, and grant that name."],
      });
    if (skills.secrets && !skills.secrets.includes(name))
      throw new PermissionDeniedError(`${name} is not in the list of secrets that functions can use.`, {
        suggestions: [`Ask the owner to add ${name} to secrets in etc/skills.json.`],
      });
    return env[name];
  };
}

/** Includes the keys of disabled servers. */
function isModelKey(name: string, providers: ModelsConfig["providers"]): boolean {
  return Object.values(providers).some(
    (provider) => provider.kind === "openai-compatible" && provider.apiKeyVariable === name,
  );
}
