import { NoticeAnswer, NoticeEdit } from "@metahuman/core/contract/notice";
import { NoticeParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "One notice with what became of its deliveries",
    needs: "canReadRuns",
    input: { params: NoticeParams },
    output: NoticeAnswer,
  },
  async ({ params, caller }) => ({ notice: await caller.profile.notices.get(params.id) }),
);

export const POST = route(
  {
    summary: "Mark a notice as read or unread",
    needs: "canUseSkills",
    input: { params: NoticeParams, body: NoticeEdit },
    output: NoticeAnswer,
  },
  async ({ params, body, caller }) => ({
    notice: await caller.profile.notices.markRead(params.id, body.read),
  }),
);
