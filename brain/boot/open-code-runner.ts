import type { CodeRunner } from "@metahuman/agents/operator/tools/code/code-runner";
import { SandboxCrashedError } from "@metahuman/core/errors/sandbox-errors";
import { codeTools } from "@metahuman/sandbox/code/open-code-tools";
import { sandbox } from "@metahuman/sandbox/open-sandbox";
import type { ModelsConfig } from "@metahuman/core/contract/models";
import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

export interface OpenedCodeRunner extends CodeRunner {
  /** Returns the runner for one person; the sandbox is shared fairly between people. */
  for(owner: string): CodeRunner;
  /** Ends the work of this runner. Its processes are shared with other runners. */
  close(): void;
}

/** Opens the code runner of all profiles. Its processes start on first use. */
export function openCodeRunner(secret: CodeRunner["secret"]): OpenedCodeRunner {
  const closing = new AbortController();
  const until = (signal: AbortSignal | undefined): AbortSignal =>
    signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
  const sandboxFor = (owner: string | undefined): CodeRunner["sandbox"] => ({
    run: (run) => sandbox.run({ ...run, ...(owner !== undefined && { owner }), signal: until(run.signal) }),
    test: (run) => sandbox.test({ ...run, ...(owner !== undefined && { owner }), signal: until(run.signal) }),
  });
  const runner: CodeRunner = {
    sandbox: sandboxFor(undefined),
    tools: {
      compile: (sources, signal) => codeTools.compile(sources, until(signal)),
      compileSnippet: (code, signal) => codeTools.compileSnippet(code, until(signal)),
      inspect: (sources, signal, onFound) => codeTools.inspect(sources, until(signal), onFound),
    },
    secret,
  };
  return {
    ...runner,
    for: (owner) => ({ ...runner, sandbox: sandboxFor(owner) }),
    close: () => closing.abort(new SandboxCrashedError("The sandbox is closed.")),
  };
}

export interface FunctionSecretsParts {
  env: Readonly<Record<string, string | undefined>>;
  config: () => { models: Pick<ModelsConfig, "providers">; skills: Pick<SkillsConfig, "secrets"> };
}

/**
 * Returns the secrets that functions may be granted by name. Throws `PermissionDeniedError` for other environment
 * variables: the keys of model servers and of the audit log, and those that the owner's list does not contain.
 */
export function functionSecrets({ env, config }: FunctionSecretsParts): (name: string) => string | undefined {
  return (name) => {
    const { models, skills } = config();
    if (isModelKey(name, models.providers))
      throw new PermissionDeniedError(`${name} is the key of a model server, which functions cannot use.`, {
        suggestions: ["Store the function's secret under another name, and grant that name."],
      });
    if (name === "METAHUMAN_SECRET_KEY")
      throw new PermissionDeniedError(`${name} signs the audit log, so functions cannot use it.`, {
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
