import { StateRecovery, StateRestore } from "@metahuman/core/contract/state-database";
import { route } from "../../../server/api/route.ts";

// Reading runs is enough in any mode: a mode in which nothing is changed must not keep a profile damaged. Guests may not.
export const POST = route(
  {
    summary: "Replace an unreadable database of runs and conversations with a backup; the old file is kept",
    needs: "canReadRuns",
    scope: "manage",
    input: { body: StateRestore },
    output: StateRecovery,
  },
  ({ body, caller }) => caller.profile.state.restore(body),
);
