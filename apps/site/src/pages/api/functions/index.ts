import { z } from "zod";
import { FunctionAnswer, FunctionPage } from "@metahuman/core/contract/answers";
import {
  EVERY_AGENT,
  FunctionKind,
  FunctionSort,
  FunctionStatus,
  FunctionTrust,
  NewFunction,
} from "@metahuman/core/contract/function";
import { AgentId, SkillId } from "@metahuman/core/contract/ids";
import { functionActor } from "../../../server/api/caller.ts";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { commaList, listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary:
      "Functions of every agent, last changed first; with ?agentId=, of one agent; with ?query=, those that contain its words",
    needs: "canReadMemory",
    input: {
      query: listQuery("updated").extend({
        sort: FunctionSort.default("updated"),
        kind: FunctionKind.optional(),
        trust: FunctionTrust.optional(),
        status: FunctionStatus.optional(),
        skills: commaList(SkillId).optional(),
        tag: z.string().max(64).optional(),
        agentId: AgentId.optional(),
      }),
    },
    output: FunctionPage,
  },
  async ({ query: { agentId = EVERY_AGENT, ...query }, caller }) => {
    const { functions } = caller.profile;
    const reverification = functions.reverification();
    const page = await functions.of(agentId).listFunctions(omitUndefined(query));
    return { ...page, ...(reverification && { reverification }) };
  },
);

export const POST = route(
  {
    summary: "Create a function as a draft",
    needs: "canManageFunctions",
    input: { body: NewFunction },
    output: FunctionAnswer,
    status: 201,
  },
  async ({ body, caller }) => ({
    function: await caller.profile.functions
      .of(EVERY_AGENT)
      .saveFunction(omitUndefined(body), functionActor(caller)),
  }),
);
