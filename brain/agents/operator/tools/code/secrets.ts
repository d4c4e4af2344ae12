import { PermissionDeniedError } from "@metahuman/core/errors/access-errors";

const PLACE = /\$\{secret:([A-Z_][A-Z0-9_]{0,63})\}/gu;
/** The one skill whose requests may carry a secret, and where in them. */
const SKILL = "http_get";

/** A call whose secrets are filled in, and the way to take them out of what comes back. */
export interface FilledCall {
  args: Record<string, unknown>;
  /** The same outputs with every secret put back to its name. */
  hide(outputs: Record<string, unknown>): Record<string, unknown>;
}

/**
 * Fills `${secret:NAME}` in the headers of `http_get` where the function was granted `secret:NAME`. The code that asks,
 * policy, audit and observation see the name only. Throws `PermissionDeniedError` without the grant or the secret.
 */
export function fillSecrets(
  skill: string,
  args: Record<string, unknown>,
  grants: readonly string[],
  secret: (name: string) => string | undefined,
): FilledCall {
  const headers: unknown = args["headers"];
  if (skill !== SKILL || typeof headers !== "object" || headers === null)
    return { args, hide: (outputs) => outputs };
  const used = new Map<string, string>();
  const fill = (text: string): string =>
    text.replaceAll(PLACE, (_place, name: string) => {
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
  return { args: { ...args, headers: filled }, hide: (outputs) => hidden(outputs, used) };
}

function hidden(
  outputs: Record<string, unknown>,
  used: ReadonlyMap<string, string>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(outputs).map(([key, value]) => [key, hideIn(value, used)]));
}

function hideIn(value: unknown, used: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    let text = value;
    for (const [name, secret] of used) text = text.replaceAll(secret, `\${secret:${name}}`);
    return text;
  }
  if (Array.isArray(value)) return value.map((inner: unknown) => hideIn(inner, used));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]: [string, unknown]) => [key, hideIn(inner, used)]),
    );
  return value;
}
