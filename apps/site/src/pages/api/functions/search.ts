import { z } from "zod";
import { EVERY_AGENT, FunctionTrust } from "@metahuman/core/contract/function";
import { AgentId } from "@metahuman/core/contract/ids";
import { FunctionSearchAnswer } from "@metahuman/core/contract/function-search";
import { Flag } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "Functions that match a request, best first, each with the reasons; with ?agentId=, of one agent. Empty if none matches",
    needs: "canReadMemory",
    input: {
      query: z.object({
        query: z.string().min(1).max(20_000),
        limit: z.coerce.number().int().min(1).max(50).default(10),
        agentId: AgentId.optional(),
        explain: Flag.default(false),
        trust: z.union([FunctionTrust, z.literal("any")]).default("any"),
      }),
    },
    output: FunctionSearchAnswer,
  },
  ({ query: { query, agentId = EVERY_AGENT, ...options }, caller, request }) =>
    caller.profile.functions.of(agentId).queryFunctions(query, { ...options, signal: request.signal }),
);
