import { z } from "zod";
import { ModelRef, ModelSituation } from "@metahuman/core/contract/models";
import { modelControlFor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

/** With `fresh=1`, asks every server now instead of returning the known state. */
const Query = z.strictObject({ fresh: z.enum(["0", "1", "false", "true"]).optional() });

export const GET = route(
  {
    summary: "The model servers, their models and roles; with fresh=1, asks every server now",
    needs: "sign-in",
    scope: "read",
    input: { query: Query },
    output: ModelSituation,
  },
  ({ brain, query: { fresh } }) => brain.models({ fresh: fresh === "1" || fresh === "true" }),
);

export const DELETE = route(
  {
    summary: "Delete a model from its server, if its server can (Ollama)",
    needs: "canAdminister",
    input: { query: z.object({ model: ModelRef }) },
    output: ModelSituation,
  },
  ({ query: { model }, brain, caller, request }) =>
    modelControlFor(brain, caller).removeModel(model, request.signal),
);
