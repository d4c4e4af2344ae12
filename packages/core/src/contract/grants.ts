import { z } from "zod";
import type { FunctionCode, FunctionParameter } from "./function.ts";

/** What code may use besides skills: `secret:NAME`, and `host:NAME` or `host:*`, to which `http_get` is then confined. */
export const SecretGrant = z.string().regex(/^secret:[A-Z_][A-Z0-9_]{0,63}$/u);
export const HostGrant = z.string().regex(/^host:(?:\*|[a-z0-9.[\]-]+(?::[0-9]+)?)$/u);

/** Any host: the code decides while it runs. */
export const ANY_HOST = "*";

/** The skills among a function's grants. */
export function skillGrants(grants: readonly string[]): string[] {
  return grants.filter((grant) => !grant.includes(":"));
}

/** The hosts among a function's grants; empty where none is named, which confines nothing. */
export function hostGrants(grants: readonly string[]): string[] {
  return grants.filter((grant) => grant.startsWith("host:")).map((grant) => grant.slice("host:".length));
}

const SECRET_NAMED = /\$\{(secret:[A-Z_][A-Z0-9_]{0,63})\}/gu;
const ADDRESS = /https?:\/\/[^\s"'`/\\?#)]+/giu;

/** The hosts of the addresses that stand in a text, as `URL.host` spells them; a host that is put together is left out. */
function hostsNamed(text: string): string[] {
  const addresses = [...text.matchAll(ADDRESS)].map(([address]) => address);
  const hosts = addresses.flatMap((address) =>
    /[${}]/u.test(address) ? [] : (URL.parse(address)?.host ?? []),
  );
  return [...new Set(hosts)].sort();
}

/** The secrets that a source names, as grants. */
function secretsNamed(source: string): string[] {
  return [...new Set([...source.matchAll(SECRET_NAMED)].map(([, grant = ""]) => grant))].sort();
}

/** A parameter that may hold an address, which the code then goes to. */
const ADDRESS_PARAMETER = /\b(?:ur[il]s?|links?|addresse?s?|websites?|hosts?|domains?|endpoints?|feeds?)\b/iu;
const CALLED = /\bskills\s*\.\s*([a-z][a-z0-9_]*)/gu;

/**
 * The grants that a source needs, read off its text: the skills it calls, the secrets it names, and the hosts of its
 * addresses unless a parameter may bring others.
 */
export function grantsNeeded(source: string, parameters: readonly FunctionParameter[]): string[] {
  const skills = [...source.matchAll(CALLED)]
    .map(([, skill = ""]) => skill)
    .filter((skill) => skill !== "function");
  const isGivenAddresses = parameters.some(({ name, description }) =>
    ADDRESS_PARAMETER.test(`${name.replaceAll(/(?=[A-Z])|_/gu, " ")} ${description}`),
  );
  const hosts = skills.includes("http_get") && !isGivenAddresses ? hostsNamed(source) : [];
  return [...[...new Set(skills)].sort(), ...hosts.map((host) => `host:${host}`), ...secretsNamed(source)];
}

/** Strings inside of a value, at any depth. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/**
 * The hosts that a call with these parameters may reach, as far as grants, source and parameters tell; `["*"]` where only
 * the code itself will know.
 */
export function hostsReached(
  { source, grants }: Pick<FunctionCode, "source" | "grants">,
  parameters: Readonly<Record<string, unknown>>,
): string[] {
  const declared = hostGrants(grants);
  if (declared.length > 0) return declared.includes(ANY_HOST) ? [ANY_HOST] : declared;
  const hosts = hostsNamed([source, ...stringsIn(parameters)].join("\n"));
  return hosts.length > 0 ? hosts : [ANY_HOST];
}

/** The parameters that are paths, as they were given. */
export function pathsGiven(
  declared: readonly FunctionParameter[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  return declared.filter(({ type }) => type === "path").flatMap(({ name }) => stringsIn(given[name]));
}
