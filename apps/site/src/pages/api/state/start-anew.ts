import { z } from "zod";
import { StateRecovery } from "@metahuman/core/contract/state-database";
import { route } from "../../../server/api/route.ts";

export const POST = route(
  {
    summary:
      "Replace an unreadable database of runs and conversations with an empty one; the old file is kept",
    needs: "canReadRuns",
    scope: "manage",
    input: { body: z.strictObject({}) },
    output: StateRecovery,
  },
  ({ caller }) => caller.profile.state.startAnew(),
);
