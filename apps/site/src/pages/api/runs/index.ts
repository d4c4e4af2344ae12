import { z } from "zod";
import { RunPage } from "@metahuman/core/contract/http";
import { ConversationId } from "@metahuman/core/contract/ids";
import { RunStatus } from "@metahuman/core/contract/run";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Runs, newest first by default",
    needs: "canReadRuns",
    input: {
      query: z.object({
        ...listQuery("newest", "oldest").shape,
        status: RunStatus.optional(),
        conversationId: ConversationId.optional(),
      }),
    },
    output: RunPage,
  },
  ({ query, caller }) => caller.profile.runs.list(omitUndefined(query)),
);
