import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { nearest } from "@metahuman/core/errors/nearest";
import { TrustAnswer } from "@metahuman/core/contract/answers";
import { TrustChange } from "@metahuman/core/contract/http";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "The trust level and the overrides for single skills",
    needs: "sign-in",
    scope: "read",
    input: {},
    output: TrustAnswer,
  },
  async ({ caller }) => trustIn(await caller.profile.store.settings()),
);

const change = route(
  {
    summary: "Change the trust level, or set a skill to always, ask or never; null removes the override",
    needs: "canChangeTrust",
    input: { body: TrustChange },
    output: TrustAnswer,
  },
  async ({ body: { trustLevel, skillOverrides = {} }, caller: { profile } }) => {
    const known = profile.operator.skills().map(({ id }) => id);
    const pinned = Object.entries(skillOverrides).filter(([, override]) => override !== null);
    for (const [skill] of pinned) {
      if (!known.includes(skill))
        throw new InvalidArgsError(`There is no skill ${skill}.`, { suggestions: nearest(skill, known) });
    }
    const settings = await profile.store.changeSettings((current) => {
      const overrides = new Map(Object.entries(current.skillOverrides));
      for (const [skill, override] of Object.entries(skillOverrides)) {
        if (override === null) overrides.delete(skill);
        else overrides.set(skill, override);
      }
      return { trustLevel, skillOverrides: Object.fromEntries(overrides) };
    });
    return trustIn(settings);
  },
);

export { change as PATCH, change as POST, change as PUT };

function trustIn({ trustLevel, skillOverrides }: ProfileSettings): TrustAnswer {
  return { trustLevel, skillOverrides };
}
