import { z } from "zod";
import { GuestLoginRequest, LoginRequest } from "@metahuman/core/contract/http";
import { WrongCredentialsError } from "@metahuman/core/errors/access-errors";
import { Me } from "@metahuman/core/contract/profile";
import { publicRoute } from "../../../server/api/route.ts";
import { recordFailedSignIn } from "../../../server/api/failed-sign-in.ts";
import { sessionReply } from "../../../server/api/session-reply.ts";

export const POST = publicRoute(
  {
    summary: "Sign in; with guestOf, as a guest of a public profile, who can only chat",
    needs: "nothing",
    input: { body: z.union([LoginRequest, GuestLoginRequest]) },
    output: Me,
  },
  async ({ body, brain, connection, log }) => {
    const { accounts } = brain;
    const signIn = async (credentials: LoginRequest) => {
      try {
        return await accounts.signIn(credentials, connection);
      } catch (error) {
        // Attempts beyond the limit are refused unchecked. They are not recorded, or an attacker could fill the disk.
        if (error instanceof WrongCredentialsError)
          recordFailedSignIn(credentials.username, { brain, connection, log });
        throw error;
      }
    };
    const session = "guestOf" in body ? await accounts.signInAsGuest(body.guestOf) : await signIn(body);
    return sessionReply(session, { brain, connection, status: 200 });
  },
);
