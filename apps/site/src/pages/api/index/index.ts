import { z } from "zod";
import { IndexStatus } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { Flag } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  { summary: "The state of the search index", needs: "canReadMemory", input: {}, output: IndexStatus },
  ({ caller }) => caller.profile.index.status(),
);

export const POST = route(
  {
    summary: "Rebuild the search index from the files, in the background",
    needs: "canWriteMemory",
    input: { query: z.object({ excludeFunctions: Flag.optional() }) },
    output: IndexStatus,
    status: 202,
  },
  ({ query, caller }) => caller.profile.index.rebuild(omitUndefined(query)),
);
