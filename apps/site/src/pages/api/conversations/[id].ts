import { Conversation } from "@metahuman/core/contract/conversation";
import { ConversationAnswer, ConversationEdit } from "@metahuman/core/contract/http";
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

const edit = route(
  {
    summary: "Rename a conversation, or pin it above the others",
    needs: "canWriteMemory",
    input: { params: ConversationParams, body: ConversationEdit },
    output: Conversation,
  },
  ({ params, body, caller }) => caller.profile.conversations.edit(params.id, body),
);

export { edit as PATCH, edit as PUT };

export const DELETE = route(
  {
    summary: "Delete a conversation with its runs",
    needs: "canWriteMemory",
    input: { params: ConversationParams },
    output: Nothing,
  },
  ({ params, caller }) => caller.profile.conversations.remove(params.id),
);
