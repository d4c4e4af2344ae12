import { ANY_HOST, hostsReached, skillGrants } from "@metahuman/core/contract/code-grants";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { type Effect, Risk } from "@metahuman/core/contract/trust";
import { type CalledFunction, combinedGrants } from "@metahuman/core/functions/called-functions";
import type { Assessment, NestedCall } from "../define-skill.ts";

type CodeEffects = Required<Pick<Assessment, "risk" | "effect" | "nested">>;

const EFFECTS: readonly Effect[] = ["read", "write", "network", "execute"];

/** Returns the grants of one-off code: the skills that it calls and the one that reads its files. It gets no secrets. */
export function grantsOfSnippet(called: readonly string[], files: readonly string[]): string[] {
  return [...new Set([...called, ...(files.length > 0 ? ["fs_read"] : [])])];
}

/** Returns grants together with those of the called functions. */
export function grantsWith(own: readonly string[], called: readonly CalledFunction[]): string[] {
  return combinedGrants(
    own,
    called.map(({ function: { code } }) => code.grants),
  );
}

/**
 * Returns the combined effect of code with these grants: the highest risk of them; at least high if it sends a
 * secret.
 */
export function effectsOf(
  grants: readonly string[],
  reached: readonly string[],
  cards: readonly SkillCard[],
): CodeEffects {
  const used = skillGrants(grants).flatMap((skill) => cards.filter(({ id }) => id === skill));
  const secrets: Risk[] = grants.some((grant) => grant.startsWith("secret:")) ? ["high"] : [];
  return {
    risk: strongest<Risk>(Risk.options, ["low", ...used.map((card) => card.risk), ...secrets]),
    effect: strongest<Effect>(EFFECTS, [
      "read",
      ...used.map(({ effect }) => (effect === "agent" ? "write" : effect)),
    ]),
    nested: used.flatMap((card) => nestedCallsOf(card, reached)),
  };
}

/** Returns the combined effect of code and the functions that it calls. */
export function withCalled(own: CodeEffects, called: readonly CodeEffects[]): CodeEffects {
  const all = [own, ...called];
  return {
    risk: strongest<Risk>(
      Risk.options,
      all.map(({ risk }) => risk),
    ),
    effect: strongest<Effect>(
      EFFECTS,
      all.map(({ effect }) => effect),
    ),
    nested: all.flatMap(({ nested }) => nested),
  };
}

/** Returns the effects of called functions, each by its own grants. */
export function effectsOfCalled(
  called: readonly CalledFunction[],
  cards: readonly SkillCard[],
): CodeEffects[] {
  return called.map(({ function: { code } }) => effectsOf(code.grants, hostsReached(code, {}), cards));
}

/** Returns the preview of code: its grants, the hosts it contacts and the paths it received. */
export function usePreview(
  grants: readonly string[],
  nested: readonly NestedCall[],
  paths: readonly string[],
  called: readonly CalledFunction[] = [],
): Assessment["preview"]["facts"] {
  const hosts = [...new Set(nested.flatMap((call) => call.hosts))].map((host) =>
    host === ANY_HOST ? "any, as its code decides" : host,
  );
  const list = (label: string, values: readonly string[]) =>
    values.length === 0 ? [] : [{ label, value: values.join(", ") }];
  return [
    { label: "may use", value: grants.length === 0 ? "nothing: it only computes" : grants.join(", ") },
    ...list(
      "calls functions",
      called.map((one) => one.function.title),
    ),
    ...list("hosts", hosts),
    ...list("paths", paths),
  ];
}

/** Returns a nested call of a skill, one per host if the skill asks for each host. */
function nestedCallsOf(card: SkillCard, reached: readonly string[]): NestedCall[] {
  const { id: skill, effect, risk, requiresApproval, asksPerHost = false } = card;
  const call = { skill, effect, risk, requiresApproval, asksPerHost, hosts: [], paths: [] };
  if (!asksPerHost) return [call];
  return (skill === "http_get" ? reached : [ANY_HOST]).map((host) => ({ ...call, hosts: [host] }));
}

function strongest<Level>(order: readonly Level[], levels: readonly Level[]): Level {
  return levels.reduce((most, level) => (order.indexOf(level) > order.indexOf(most) ? level : most));
}
