import type { Brain } from "@metahuman/boot/brain";
import { z } from "zod";
import { GuestLoginRequest, LoginRequest } from "@metahuman/core/contract/http";
import { WrongCredentialsError } from "@metahuman/core/errors/access-errors";
import { Me } from "@metahuman/core/contract/profile";
import { publicRoute, type RouteContext } from "../../../server/api/route.ts";
import { sessionReply } from "../../../server/api/session-reply.ts";

export const POST = publicRoute(
  {
    summary: "Sign in; with guestOf, as a guest of a public profile, who can only chat",
    needs: "nothing",
    input: { body: z.union([LoginRequest, GuestLoginRequest]) },
    output: Me,
  },
  async ({ body, brain, openProfile, connection, log }) => {
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
    return sessionReply(session, { openProfile, connection, status: 200 });
  },
);

/**
 * Records a sign-in with a wrong name or password: in the audit log of the account, or in those of the owners if no account
 * has this name. A name that no account has is not recorded, because some people type their password there. Returns at
 * once, so that the time of the response does not tell whether the account exists; failures are logged.
 */
function recordFailedSignIn(
  username: string,
  { brain, connection, log }: Pick<RouteContext, "brain" | "connection" | "log">,
): void {
  void record(username, brain, connection.address).catch((error: unknown) =>
    log.error({ err: error }, "a failed sign-in could not be recorded"),
  );
}

async function record(username: string, { accounts, profile }: Brain, address: string): Promise<void> {
  const all = await accounts.list();
  const isKnown = all.some((account) => account.username === username);
  const recipients = all.filter((one) => (isKnown ? one.username === username : one.role === "owner"));
  for (const recipient of recipients) {
    const { audit } = await profile(recipient.username);
    await audit.append({
      event: "sign_in_failed",
      surface: "page",
      details: { address, ...(isKnown ? { account: username } : { reason: "No account has this name." }) },
    });
  }
}
