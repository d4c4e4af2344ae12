import { Reply, Nothing, route } from "../../../server/api/route.ts";
import { endedSessionCookie } from "../../../server/api/session-cookie.ts";

export const POST = route(
  {
    summary: "Sign out; every stream of this session ends",
    needs: "sign-in",
    scope: "read",
    guests: true,
    input: {},
    output: Nothing,
  },
  async ({ caller, brain, connection }) => {
    const { credentialId, me, profile } = caller;
    await brain.accounts.signOut(credentialId);
    await profile.audit.append({ event: "signed_out", actor: me.username, details: { credentialId } });
    return new Reply(undefined, { headers: { "Set-Cookie": endedSessionCookie(connection) } });
  },
);
