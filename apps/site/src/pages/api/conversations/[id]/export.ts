import { z } from "zod";
import { conversationText } from "@metahuman/core/contract/conversation-text";
import { ConversationParams } from "../../../../server/api/params.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "A conversation as a Markdown file",
    needs: "canReadRuns",
    input: { params: ConversationParams },
    output: z.string().describe("Markdown"),
    media: "text/markdown",
  },
  async ({ params: { id }, caller }) => {
    const { conversation, messages } = await caller.profile.conversations.get(id);
    return new Response(conversationText(conversation, messages), {
      headers: {
        "Content-Type": "text/markdown; charset=utf-8",
        "Content-Disposition": `attachment; filename="${conversation.id}.md"`,
        "Cache-Control": "no-store",
      },
    });
  },
);
