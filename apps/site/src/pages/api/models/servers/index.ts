import { z } from "zod";
import { ConfiguredServers, ModelServerEdit } from "@metahuman/core/contract/model-servers";
import { ModelSituation, ProviderId } from "@metahuman/core/contract/models";
import { modelControlFor } from "../../../../server/api/caller.ts";
import { route } from "../../../../server/api/route.ts";

export const GET = route(
  {
    summary: "The configured OpenAI-compatible servers; keys are never returned",
    needs: "canAdminister",
    input: {},
    output: ConfiguredServers,
  },
  ({ brain }) => brain.modelControl.configuredServers(),
);

export const PUT = route(
  {
    summary:
      "Add or change an OpenAI-compatible server; a key is stored encrypted or named as an environment variable, null removes it",
    needs: "canAdminister",
    input: { body: ModelServerEdit },
    output: ModelSituation,
  },
  ({ body, brain, caller }) => modelControlFor(brain, caller).saveServer(body),
);

export const DELETE = route(
  {
    summary: "Remove an OpenAI-compatible server with its key",
    needs: "canAdminister",
    input: { query: z.object({ id: ProviderId }) },
    output: ModelSituation,
  },
  ({ query: { id }, brain, caller }) => modelControlFor(brain, caller).removeServer(id),
);
