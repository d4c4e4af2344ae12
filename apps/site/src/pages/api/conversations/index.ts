import { ConversationPage } from "@metahuman/core/contract/http";
import { given } from "../../../server/api/omit-undefined.ts";
import { listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Conversations, the latest first",
    needs: "canReadRuns",
    takes: { query: listQuery("newest") },
    answer: ConversationPage,
  },
  ({ query: { sort: _newest, ...query }, caller }) => caller.profile.conversations.list(given(query)),
);
