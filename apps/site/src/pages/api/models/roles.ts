import { ModelSituation, RoleAssignment } from "@metahuman/core/contract/models";
import { modelControlOf } from "../../../server/api/model-control.ts";
import { route } from "../../../server/api/route.ts";

const assign = route(
  {
    summary: "Choose the models of a role, in the order they are asked; null leaves the choice to the system",
    needs: "canAdminister",
    takes: { body: RoleAssignment },
    answer: ModelSituation,
  },
  ({ body, brain, caller }) => modelControlOf(brain, caller).assign(body),
);

export { assign as PATCH, assign as POST, assign as PUT };
