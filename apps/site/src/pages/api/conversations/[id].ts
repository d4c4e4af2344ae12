import { Conversation } from "@metahuman/core/contract/conversation";
import { ConversationAnswer, ConversationRename } from "@metahuman/core/contract/http";
import { ConversationParams } from "../../../server/api/params.ts";
import { Nothing, route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A conversation with its messages and runs",
    needs: "canReadRuns",
    input: { params: ConversationParams },
    output: ConversationAnswer,
  },
  ({ params, caller }) => caller.profile.conversations.get(params.id),
);

const rename = route(
  {
    summary: "Rename a conversation",
    needs: "canWriteMemory",
    input: { params: ConversationParams, body: ConversationRename },
    output: Conversation,
  },
  ({ params, body, caller }) => caller.profile.conversations.rename(params.id, body.title),
);

export { rename as PATCH, rename as PUT };

export const DELETE = route(
  {
    summary: "Delete a conversation with its runs",
    needs: "canWriteMemory",
    input: { params: ConversationParams },
    output: Nothing,
  },
  ({ params, caller }) => caller.profile.conversations.remove(params.id),
);
