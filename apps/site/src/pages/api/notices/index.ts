import { NoticePage, NoticesReadAnswer } from "@metahuman/core/contract/notice";
import { z } from "zod";
import { omitUndefined } from "@metahuman/core/text/omit-undefined";
import { Flag, listQuery } from "../../../server/api/paging.ts";
import { route } from "../../../server/api/route.ts";

export const GET = route(
  {
    summary: "Notices, newest first; with unread=true only those that are unread",
    needs: "canReadRuns",
    input: {
      query: listQuery("newest").extend({ unread: Flag.optional() }),
    },
    output: NoticePage,
  },
  async ({ query: { sort: _sort, ...query }, caller }) => {
    const { unread, ...page } = await caller.profile.notices.list(omitUndefined(query));
    return { ...page, ...(query.query === undefined && { unread }) };
  },
);

export const POST = route(
  {
    summary: "Mark every notice as read",
    needs: "canUseSkills",
    input: { body: z.strictObject({ read: z.literal(true) }) },
    output: NoticesReadAnswer,
  },
  async ({ caller }) => ({ read: await caller.profile.notices.markAllRead() }),
);
