import { NoticeAnswer, NoticeEdit } from "@metahuman/core/contract/notice";
import { NoticeParams } from "../../../server/api/params.ts";
import { route } from "../../../server/api/route.ts";

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
