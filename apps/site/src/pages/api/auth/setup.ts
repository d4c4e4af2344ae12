import { SetupRequest } from "@metahuman/core/contract/http";
import { Me } from "@metahuman/core/contract/profile";
import { publicRoute } from "../../../server/api/route.ts";
import { sessionReply } from "../../../server/api/session-reply.ts";

export const POST = publicRoute(
  {
    summary: "Create the first owner and sign in",
    needs: "nothing",
    input: { body: SetupRequest },
    output: Me,
    status: 201,
  },
  async ({ body, brain, openProfile, connection }) => {
    const session = await brain.accounts.setup(body, connection);
    return sessionReply(session, { openProfile, connection, status: 201 });
  },
);
