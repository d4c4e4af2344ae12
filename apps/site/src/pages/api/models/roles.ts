import { ModelSituation, RoleAssignment } from "@metahuman/core/contract/models";
import { modelControlFor } from "../../../server/api/caller.ts";
import { route } from "../../../server/api/route.ts";

const assign = route(
  {
    summary:
      "Set the models of a role, in the order in which they are tried; null selects them automatically",
    needs: "canAdminister",
    input: { body: RoleAssignment },
    output: ModelSituation,
  },
  ({ body, brain, caller }) => modelControlFor(brain, caller).assign(body),
);

export { assign as PATCH, assign as POST, assign as PUT };
