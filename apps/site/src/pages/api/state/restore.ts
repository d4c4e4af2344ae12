import { StateRecovery, StateRestore } from "@metahuman/core/contract/state-database";
import { route } from "../../../server/api/route.ts";

// Signing in is enough: a mode in which nothing is changed must not keep a profile damaged.
export const POST = route(
  {
    summary:
      "Replace an unusable database of runs and conversations with a backup; the unusable file is kept",
    needs: "sign-in",
    takes: { body: StateRestore },
    answer: StateRecovery,
  },
  ({ body, caller }) => caller.profile.state.restore(body),
);
