import { Conversation } from "@metahuman/core/contract/conversation";
import { ConversationAnswer, ConversationRename } from "@metahuman/core/contract/http";
import { ConversationParams } from "../../../server/api/params.ts";
import { Nothing, route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A conversation with its messages and runs",
    needs: "canReadRuns",
    takes: { params: ConversationParams },
    answer: ConversationAnswer,
  },
  ({ params, caller }) => caller.profile.conversations.get(params.id),
);

const rename = route(
  {
    summary: "Rename a conversation",
    needs: "canWriteMemory",
    takes: { params: ConversationParams, body: ConversationRename },
    answer: Conversation,
  },
  ({ params, body, caller }) => caller.profile.conversations.rename(params.id, body.title),
);

export { rename as PATCH, rename as PUT };

export const DELETE = route(
  {
    summary: "Delete a conversation with its runs",
    needs: "canWriteMemory",
    takes: { params: ConversationParams },
    answer: Nothing,
  },
  ({ params, caller }) => caller.profile.conversations.remove(params.id),
);
