import { Ready } from "@metahuman/core/contract/http";
import { publicRoute } from "../../server/api/route.ts";

/** For load balancers: 503 with the reason while the storage cannot be reached. */
export const GET = publicRoute(
  { summary: "Whether what is stored can be reached", needs: "nothing", input: {}, output: Ready },
  async ({ brain }) => {
    await brain.requireReady();
    return { status: "ready" as const, ...(brain.node !== undefined && { node: brain.node }) };
  },
);
