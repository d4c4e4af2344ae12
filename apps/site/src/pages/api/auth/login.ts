import { z } from "zod";
import { GuestLoginRequest, LoginRequest } from "@metahuman/core/contract/http";
import { Me } from "@metahuman/core/contract/profile";
import { publicRoute } from "../../../server/api/route.ts";
import { sessionReply } from "../../../server/api/session-reply.ts";

export const POST = publicRoute(
  {
    summary: "Sign in; with guestOf, as a guest of a public profile, who can only chat",
    needs: "nothing",
    input: { body: z.union([LoginRequest, GuestLoginRequest]) },
    output: Me,
  },
  async ({ body, brain, connection }) => {
    const { accounts } = brain;
    const session =
      "guestOf" in body
        ? await accounts.signInAsGuest(body.guestOf)
        : await accounts.signIn(body, connection);
    return sessionReply(session, { brain, connection, status: 200 });
  },
);
