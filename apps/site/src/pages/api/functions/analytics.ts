import { z } from "zod";
import { FunctionAnalytics } from "@metahuman/core/contract/function-upkeep";
import { FunctionId, Timestamp } from "@metahuman/core/contract/ids";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { route } from "../../../server/api/route.ts";

const DEFAULT_DAYS = 90;
const DAY_MS = 86_400_000;

export const GET = route(
  {
    summary: "Uses of functions over time and what they saved; 90 days by default",
    needs: "canReadMemory",
    input: { query: z.object({ since: Timestamp.optional(), functionId: FunctionId.optional() }) },
    output: FunctionAnalytics,
  },
  ({ query: { since, ...query }, caller }) =>
    caller.profile.functionUpkeep.analytics({
      since: since ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS).toISOString(),
      ...omitUndefined(query),
    }),
);
