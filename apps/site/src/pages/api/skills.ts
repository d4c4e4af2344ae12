import { z } from "zod";
import { SkillPage } from "@metahuman/core/contract/answers";
import { listQuery, paginate } from "../../server/api/paging.ts";
import { route } from "../../server/api/route.ts";

export const GET = route(
  {
    summary: "The skills of the operator; all of them by default",
    needs: "canUseOperator",
    input: {
      query: listQuery("installed").extend({ limit: z.coerce.number().int().min(1).max(500).default(500) }),
    },
    output: SkillPage,
  },
  ({ query, caller }) =>
    paginate(caller.profile.operator.skills(), query, ({ id, summary, category }) => [id, summary, category]),
);
