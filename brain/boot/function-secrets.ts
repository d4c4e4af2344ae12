import type { ModelsConfig } from "@metahuman/core/contract/models";
import type { SkillsConfig } from "@metahuman/core/contract/skills-config";
import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

export interface FunctionSecretsOptions {
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
