import { ArchivedAnswer, TaskAnswer } from "@metahuman/core/contract/answers";
import { TaskEdit } from "@metahuman/core/contract/task";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { TaskParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  { summary: "One task", needs: "canReadMemory", input: { params: TaskParams }, output: TaskAnswer },
  async ({ params, caller }) => ({ task: await caller.profile.tasks.get(params.id) }),
);

const edit = route(
  {
    summary: "Change a task; omitted fields stay unchanged, due: null removes the date",
    needs: "canWriteMemory",
    input: { params: TaskParams, body: TaskEdit },
    output: TaskAnswer,
  },
  async ({ params, body, caller }) => ({
    task: await caller.profile.tasks.edit(params.id, omitUndefined(body)),
  }),
);

export { edit as PATCH, edit as PUT };

export const DELETE = route(
  {
    summary: "Delete a task: into the archive",
    needs: "canWriteMemory",
    input: { params: TaskParams },
    output: ArchivedAnswer,
  },
  async ({ params, caller }) => ({ archived: await caller.profile.tasks.remove(params.id) }),
);
