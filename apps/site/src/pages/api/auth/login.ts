import { LoginRequest } from "@metahuman/core/contract/http";
import { Me } from "@metahuman/core/contract/profile";
import { openRoute } from "../../../server/api/route.ts";
import { sessionReply } from "../../../server/api/session-reply.ts";

export const POST = openRoute(
  { summary: "Sign in", needs: "nothing", takes: { body: LoginRequest }, answer: Me },
  async ({ body, brain, connection }) => {
    const session = await brain.accounts.signIn(body, connection);
    return sessionReply(session, { brain, connection, status: 200 });
  },
);
