import { StateRecovery, StateRestore } from "@metahuman/core/contract/state-database";
import { route } from "../../../server/api/route.ts";

// The permission to read runs is enough in every mode, because a mode that changes nothing must not prevent a repair.
// Guests do not have it.
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
