import type { ProfileSettings } from "@metahuman/core/contract/profile";
import type { CognitiveMode, TrustLevel } from "@metahuman/core/contract/trust";
import { type CallEffects, decide } from "@metahuman/core/policy/decide";
import type { RunOccurrence, RunRequest } from "@metahuman/core/runs/run-store";
import type { Skill } from "@metahuman/skills/define-skill";
import type { EffectivePolicy } from "./run-context.ts";

const MODES: readonly CognitiveMode[] = ["emulation", "agent", "dual"];
const LEVELS: readonly TrustLevel[] = ["observe", "suggest", "supervised_auto", "bounded_auto"];

/**
 * The policy of a run: the lower of the permissions at its request and the current ones. Lowered trust applies at once;
 * raised trust applies from the next request on.
 */
export function effectivePolicy(
  requested: RunRequest["identity"],
  current: Pick<ProfileSettings, "mode" | "trustLevel">,
) {
  return {
    mode: MODES[Math.min(MODES.indexOf(requested.mode), MODES.indexOf(current.mode))] ?? "emulation",
    trustLevel:
      LEVELS[Math.min(LEVELS.indexOf(requested.trustLevel), LEVELS.indexOf(current.trustLevel))] ?? "observe",
  };
}

/** The reason why a policy denies every call of a skill with these effects; undefined if it may allow or ask. */
export function denialOf(
  { skill, effect, risk }: Pick<CallEffects, "skill" | "effect" | "risk">,
  { mode, trustLevel, overrides }: Pick<EffectivePolicy, "mode" | "trustLevel" | "overrides">,
  now: Date,
): string | undefined {
  // What may only change between allowing and asking is left out.
  const { decision, reason } = decide(
    { skill, effect, risk, requiresApproval: false, paths: [], hosts: [] },
    { mode, trustLevel, override: overrides[skill], grants: [], now },
  );
  return decision === "deny" ? reason : undefined;
}

/** The ids of the skills that a policy denies by their manifests, whatever their arguments. */
export function deniedSkills(
  skills: readonly Pick<Skill, "id" | "effects" | "risk">[],
  policy: EffectivePolicy,
  now: Date,
): Set<string> {
  const isDenied = ({ id, effects, risk }: (typeof skills)[number]): boolean =>
    denialOf({ skill: id, effect: effects, risk }, policy, now) !== undefined;
  return new Set(skills.filter(isDenied).map(({ id }) => id));
}

const URLS = /https?:\/\/[^\s"'<>)\]]+/giu;

/**
 * The policy of a scheduled run: it asks for every call that does more than read, unless its skill was granted when the
 * schedule was saved. The hosts that the request names were shown to the person then, so they count as granted, too.
 */
export function limitToGrants(
  policy: EffectivePolicy,
  { grants }: Pick<RunOccurrence, "grants">,
  {
    skills,
    goal,
    now,
  }: { skills: readonly Pick<Skill, "id" | "effects" | "asksPerHost">[]; goal: string; now: Date },
): EffectivePolicy {
  const needsApproval = skills.filter(
    ({ id, effects }) => effects !== "read" && effects !== "agent" && !grants.includes(id),
  );
  const overrides = Object.fromEntries(
    needsApproval.filter(({ id }) => policy.overrides[id] !== "never").map(({ id }) => [id, "ask" as const]),
  );
  const hosts = new Set([...goal.matchAll(URLS)].flatMap(([url]) => hostOf(url)));
  const hostGrants = skills
    .filter(({ id, asksPerHost }) => asksPerHost && grants.includes(id))
    .flatMap(({ id }) => [...hosts].map((host) => ({ skill: id, host })))
    .map((grant, index) => ({
      ...grant,
      id: `grant-${String(index).padStart(26, "0")}`,
      createdAt: now.toISOString(),
    }));
  return {
    ...policy,
    overrides: { ...policy.overrides, ...overrides },
    grants: [...policy.grants, ...hostGrants],
  };
}

function hostOf(url: string): string[] {
  return URL.canParse(url) ? [new URL(url).host] : [];
}
