import { WrongCredentialsError } from "@metahuman/core/errors/access-errors";
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
    await brain.accounts
      .changePassword(me.username, body, { address, keep: credentialId })
      .catch(nameWrongPassword);
    await profile.audit.append({ event: "password_changed", actor: me.username, details: { address } });
  },
);

/** Only the password is asked for here. */
function nameWrongPassword(cause: unknown): never {
  if (!(cause instanceof WrongCredentialsError)) throw cause;
  throw new WrongCredentialsError("The current password is wrong.", { cause });
}

export { change as POST, change as PUT };
