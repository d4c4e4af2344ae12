import { z } from "zod";
import { TaskAnswer } from "@metahuman/core/contract/answers";
import { TaskPage } from "@metahuman/core/contract/http";
import { NewTask, TaskPriority, TaskSort, TaskStatus } from "@metahuman/core/contract/task";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { Flag, listQuery, paginate } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Tasks, most urgent first by default; done and cancelled tasks only on request",
    needs: "canReadMemory",
    input: {
      query: listQuery("urgency").extend({
        sort: TaskSort.default("urgency"),
        status: TaskStatus.optional(),
        priority: TaskPriority.optional(),
        tag: z.string().max(64).optional(),
        includeDone: Flag.optional(),
      }),
    },
    output: TaskPage,
  },
  async ({ query: { limit, cursor, ...query }, caller }) => {
    const { tasks } = await caller.profile.tasks.list(omitUndefined(query));
    return paginate(tasks, { limit, cursor });
  },
);

export const POST = route(
  {
    summary: "Add a task",
    needs: "canWriteMemory",
    input: {
      body: NewTask.extend({
        asSaid: z
          .boolean()
          .optional()
          .describe("True: a day, a priority and tags in the title are read as in the chat"),
      }),
    },
    output: TaskAnswer,
    status: 201,
  },
  async ({ body: { asSaid, ...given }, caller: { profile } }) => {
    const read = asSaid === true ? await profile.taskInWords(given.title) : undefined;
    return { task: await profile.tasks.create(omitUndefined({ ...given, ...read })) };
  },
);
