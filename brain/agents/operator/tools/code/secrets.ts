import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";
import type { Skill } from "@metahuman/skills/define-skill";

const PLACEHOLDER = /\$\{secret:([A-Z_][A-Z0-9_]{0,63})\}/gu;
/** The only skill that may send a secret, in the headers of its requests. */
const SKILL = "http_get";

/**
 * The skill, with `${secret:NAME}` in the headers of `http_get` filled in just before it runs and masked in its outputs.
 * The calling code, policy, audit and observation see the name only. A call without the grant `secret:NAME`, or of a
 * secret that is not set, fails with `PermissionDeniedError`.
 */
export function withSecrets(
  skill: Skill,
  grants: readonly string[],
  secret: (name: string) => string | undefined,
): Skill {
  if (skill.id !== SKILL) return skill;
  return {
    ...skill,
    // `executeCall` runs the returned skill, after authorization.
    async run(args, call) {
      const { headers } = args;
      if (typeof headers !== "object" || headers === null) return skill.run(args, call);
      const used = new Map<string, string>();
      const fill = (text: string): string =>
        text.replaceAll(PLACEHOLDER, (_placeholder, name: string) => {
          const value = grants.includes(`secret:${name}`) ? secret(name) : undefined;
          if (!value)
            throw new PermissionDeniedError(`There is no secret ${name} for this function.`, {
              suggestions: [`Grant it as secret:${name}, and set ${name} where MetaHuman OS is started.`],
            });
          used.set(name, value);
          return value;
        });
      const filled = Object.fromEntries(
        Object.entries(headers).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === "string" ? fill(value) : value,
        ]),
      );
      return masked(await skill.run({ ...args, headers: filled }, call), used);
    },
  };
}

function masked(
  outputs: Record<string, unknown>,
  used: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, maskIn(value, used)]));
}

function maskIn(value: unknown, used: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    let text = value;
    for (const [name, secret] of used) text = text.replaceAll(secret, `\${secret:${name}}`);
    return text;
  }
  if (Array.isArray(value)) return value.map((inner: unknown) => maskIn(inner, used));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]: [string, unknown]) => [key, maskIn(inner, used)]),
    );
  return value;
}
