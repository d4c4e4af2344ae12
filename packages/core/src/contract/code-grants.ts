import { z } from "zod";
import type { FunctionCode, FunctionParameter } from "./function.ts";
import { stringsIn } from "./parse-json.ts";

/** A secret that code may use: `secret:NAME`. */
export const SecretGrant = z.string().regex(/^secret:[A-Z_][A-Z0-9_]{0,63}$/u);
/**
 * A host that code may reach: `host:NAME`, or `host:*` for any host. With host grants, `http_get` is confined to them.
 */
export const HostGrant = z.string().regex(/^host:(?:\*|(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?)$/u);

/** Any host: the code chooses it at run time. */
export const ANY_HOST = "*";

/** Returns the skills among a function's grants. */
export function skillGrants(grants: readonly string[]): string[] {
  return grants.filter((grant) => !grant.includes(":"));
}

/** Returns the hosts among a function's grants. An empty list does not confine the function. */
export function hostGrants(grants: readonly string[]): string[] {
  return grants.filter((grant) => grant.startsWith("host:")).map((grant) => grant.slice("host:".length));
}

const SECRET_NAMED = /\$\{(secret:[A-Z_][A-Z0-9_]{0,63})\}/gu;
const ADDRESS = /https?:\/\/[^\s"'`/\\?#)]+/giu;

/**
 * Returns the hosts of the addresses in a text, as `URL.host` spells them. Addresses composed at run time are not
 * found.
 */
function hostsIn(text: string): string[] {
  const addresses = [...text.matchAll(ADDRESS)].map(([address]) => address);
  const hosts = addresses.flatMap((address) =>
    /[${}]/u.test(address) ? [] : (URL.parse(address.replace(/[.,;:!]+$/u, ""))?.host ?? []),
  );
  return [...new Set(hosts)].sort();
}

/** Returns the secrets that a source names, as grants. */
function secretsIn(source: string): string[] {
  return [...new Set([...source.matchAll(SECRET_NAMED)].map(([, grant = ""]) => grant))].sort();
}

/** Matches the name of a parameter that may contain an address to request. */
const ADDRESS_PARAMETER =
  /\b(?:ur[il]s?|links?|(?<!e-?mail )(?<!post(?:al)? )addresse?s?|websites?|hosts?|domains?|endpoints?|feeds?)\b/iu;

/**
 * Returns the grants that a source needs: the skills that it calls, as the inspection of the code finds them, the secrets
 * it names, and the hosts of its addresses unless a parameter may supply others.
 */
export function grantsNeeded(
  source: string,
  parameters: readonly FunctionParameter[],
  called: readonly string[],
): string[] {
  const skills = [...new Set(called)].filter((skill) => skill !== "function").sort();
  const takesAddress = parameters.some(({ name, description }) =>
    ADDRESS_PARAMETER.test(`${name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|_/gu, " ")} ${description}`),
  );
  const hosts = skills.includes("http_get") && !takesAddress ? hostsIn(source) : [];
  return [...skills, ...hosts.map((host) => `host:${host}`), ...secretsIn(source)];
}

/**
 * Returns the hosts that a person is asked for before a call with these parameters: those of its grants, else those of the
 * addresses in source and parameters; `["*"]` if it names none. After an approval, the call is confined to them: an
 * address that the code composes is refused unless its host is among them.
 */
export function hostsReached(
  { source, grants }: Pick<FunctionCode, "source" | "grants">,
  parameters: Readonly<Record<string, unknown>>,
): string[] {
  const declared = hostGrants(grants);
  if (declared.length > 0) return declared.includes(ANY_HOST) ? [ANY_HOST] : declared;
  const hosts = hostsIn([source, ...stringsIn(parameters)].join("\n"));
  return hosts.length > 0 ? hosts : [ANY_HOST];
}

/** Returns the values of those parameters that are paths. */
export function pathsGiven(
  declared: readonly FunctionParameter[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  return declared.filter(({ type }) => type === "path").flatMap(({ name }) => stringsIn(given[name]));
}
