import type { FollowingCall, SkillGrammar } from "../grammar/phrase.ts";
import type { Interpretation, PlannedCall, PlannedValue } from "../grammar/plan.ts";
import type { EarlierCall, EarlierRequest } from "./earlier-calls.ts";

/** The interpretation of a request that contains a task. */
export type PlannedRequest = Extract<Interpretation, { kind: "plan" } | { kind: "ambiguous" }>;

/** Values from the request. */
export const fromRequest = (args: Readonly<Record<string, unknown>>): Record<string, PlannedValue> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { from: "request", value }]));

/** A call with these arguments that the words ask for. */
export const callOf = (skill: string, args: Record<string, PlannedValue>, clause: string): PlannedCall => ({
  skill,
  args,
  clause,
  invented: [],
  freeText: [],
  lookup: undefined,
});

/** A plan of these calls. */
export function planOf(calls: PlannedCall[], skills: readonly SkillGrammar[]): PlannedRequest {
  const reads = calls.every((call) => skills.find(({ id }) => id === call.skill)?.reads === true);
  return { kind: "plan", calls, readOnly: reads };
}

/** The calls of a request whose skills people can ask for. */
export function callsWithPhrases({ calls }: EarlierRequest, skills: readonly SkillGrammar[]): EarlierCall[] {
  return calls.filter((call) => skills.some(({ id, phrases }) => id === call.skill && phrases.length > 0));
}

/** The plan of calls that follow from earlier ones. */
export const planFollowing = (
  calls: readonly FollowingCall[],
  clause: string,
  skills: readonly SkillGrammar[],
): PlannedRequest =>
  planOf(
    calls.map(({ skill, args, choices = {} }) => {
      const chosen = Object.entries(choices).map(([name, values]): [string, PlannedValue] => [
        name,
        {
          from: "earlier",
          mention: clause,
          candidates: values.map((value) => ({ id: value, label: value })),
        },
      ]);
      return callOf(skill, { ...fromRequest(args), ...Object.fromEntries(chosen) }, clause);
    }),
    skills,
  );
