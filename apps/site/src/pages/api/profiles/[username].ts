import { AccountAnswer } from "@metahuman/core/contract/answers";
import { AccountEdit } from "@metahuman/core/contract/http";
import { auditAction } from "../../../server/api/caller.ts";
import { AccountParams } from "../../../server/api/params.ts";
import { Nothing, route } from "../../../server/api/route.ts";

const change = route(
  {
    summary: "Change a person's role or password; either ends their sessions",
    needs: "canAdminister",
    input: { params: AccountParams, body: AccountEdit },
    output: AccountAnswer,
  },
  async ({ params: { username }, body: { role, password }, brain, caller }) => {
    const { accounts } = brain;
    await accounts.get(username);
    if (password !== undefined) await accounts.setPassword(username, password);
    const account =
      role === undefined ? await accounts.get(username) : await accounts.setRole(username, role);
    await auditAction(caller, "account_changed", { username, role, password: password !== undefined });
    return { account };
  },
);

export { change as PATCH, change as PUT };

export const DELETE = route(
  {
    summary: "Remove an account; its folder is moved, not deleted",
    needs: "canAdminister",
    input: { params: AccountParams },
    output: Nothing,
  },
  async ({ params: { username }, brain, caller }) => {
    await brain.accounts.remove(username);
    if (username !== caller.me.username) await auditAction(caller, "account_removed", { username });
  },
);
