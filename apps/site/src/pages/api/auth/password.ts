import { PasswordChange } from "@metahuman/core/contract/http";
import { Nothing, route } from "../../../server/api/route.ts";

const change = route(
  {
    summary: "Change your own password; this ends all other sessions and all tokens",
    needs: "sign-in",
    input: { body: PasswordChange },
    output: Nothing,
  },
  async ({ body, caller: { credentialId, me, profile }, brain, connection: { address } }) => {
    await brain.accounts.changePassword(me.username, body, { address, keep: credentialId });
    await profile.audit.append({ event: "password_changed", actor: me.username, details: { address } });
  },
);

export { change as POST, change as PUT };
