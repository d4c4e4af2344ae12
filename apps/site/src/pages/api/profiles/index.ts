import { AccountAnswer, AccountPage } from "@metahuman/core/contract/answers";
import { SetupRequest } from "@metahuman/core/contract/http";
import { auditAction } from "../../../server/api/caller.ts";
import { listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The accounts of this installation",
    needs: "canAdminister",
    input: { query: listQuery("username") },
    output: AccountPage,
  },
  async ({ query, brain }) =>
    paginate(await brain.accounts.list(), query, ({ username, role }) => [username, role]),
);

export const POST = route(
  {
    summary: "Add a member",
    needs: "canAdminister",
    input: { body: SetupRequest.omit({ setupCode: true }) },
    output: AccountAnswer,
    status: 201,
  },
  async ({ body, brain, caller }) => {
    const account = await brain.accounts.add({ ...body, role: "member" });
    await auditAction(caller, "account_added", { username: account.username });
    return { account };
  },
);
