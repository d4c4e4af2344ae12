import { TrustAnswer } from "@metahuman/core/contract/answers";
import { TrustChange } from "@metahuman/core/contract/http";
import type { ProfileSettings } from "@metahuman/core/contract/profile";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "The trust level, and the skills that are pinned",
    needs: "sign-in",
    takes: {},
    answer: TrustAnswer,
  },
  async ({ caller }) => trustIn(await caller.profile.store.settings()),
);

const change = route(
  {
    summary: "Change the trust level, or pin a skill to always, ask or never; null unpins it",
    needs: "canChangeTrust",
    takes: { body: TrustChange },
    answer: TrustAnswer,
  },
  async ({ body: { trustLevel, skillOverrides = {} }, caller: { profile } }) => {
    const settings = await profile.store.changeSettings((current) => {
      const pinned = new Map(Object.entries(current.skillOverrides));
      for (const [skill, override] of Object.entries(skillOverrides)) {
        if (override === null) pinned.delete(skill);
        else pinned.set(skill, override);
      }
      return { trustLevel, skillOverrides: Object.fromEntries(pinned) };
    });
    return trustIn(settings);
  },
);

export { change as PATCH, change as POST, change as PUT };

function trustIn({ trustLevel, skillOverrides }: ProfileSettings): TrustAnswer {
  return { trustLevel, skillOverrides };
}
