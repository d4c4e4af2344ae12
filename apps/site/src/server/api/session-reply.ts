import type { Brain } from "@metahuman/boot/brain";
import type { Me } from "@metahuman/core/contract/profile";
import type { Connection } from "../http/connection.ts";
import { callerIn, type OpenProfile } from "./caller.ts";
import { Reply } from "./route.ts";
import { sessionCookie } from "./session-cookie.ts";

type NewSession = Awaited<ReturnType<Brain["accounts"]["signIn"]>>;

/** Responds to a sign-in with the account and the session cookie. */
export async function sessionReply(
  session: NewSession,
  { openProfile, connection, status }: { openProfile: OpenProfile; connection: Connection; status: number },
): Promise<Reply<Me>> {
  const profile = await openProfile(session.account);
  const { me, policy } = await callerIn(profile, session);
  await profile.audit.append({
    event: session.isGuest ? "guest_signed_in" : "signed_in",
    actor: policy.identity.username ?? me.username,
    surface: "page",
    details: { credentialId: session.credentialId, address: connection.address },
  });
  return new Reply(me, { status, headers: { "Set-Cookie": sessionCookie(session, connection) } });
}
