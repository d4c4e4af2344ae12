import { ConversationPage } from "@metahuman/core/contract/http";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "Conversations, pinned first, then newest first; with ?query=, those whose title or messages contain it",
    needs: "canReadRuns",
    input: { query: listQuery("newest") },
    output: ConversationPage,
  },
  ({ query: { sort: _newest, ...query }, caller }) => caller.profile.conversations.list(omitUndefined(query)),
);
