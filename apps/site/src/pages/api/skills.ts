import { SkillPage } from "@metahuman/core/contract/answers";
import { route } from "../../server/api/route.ts";

export const GET = route(
  { summary: "What the operator can do", needs: "canUseOperator", takes: {}, answer: SkillPage },
  ({ caller }) => {
    const items = [...caller.profile.operator.skills()];
    return { items, nextCursor: null, total: items.length };
  },
);
