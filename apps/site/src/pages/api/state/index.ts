import { StateStatus } from "@metahuman/core/contract/state-database";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Whether the database of runs and conversations is readable, and its backups, newest first",
    needs: "canReadRuns",
    scope: "read",
    input: {},
    output: StateStatus,
  },
  ({ caller }) => caller.profile.state.status(),
);
