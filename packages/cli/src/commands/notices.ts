import type { Notice } from "@metahuman/core/contract/notice";
import { formatTime } from "../output.ts";
import { type AddCommand, openSession, requirePermission } from "../session.ts";

const MAX_SHOWN = 100;

/** `mh notices`: prints notices and marks them as read. */
export const addNoticesCommand: AddCommand = (program, context) => {
  const notices = program
    .command("notices")
    .description("print unread notices, newest first")
    .option("--all", "include those that were read")
    .action(async (options: { all?: boolean }) => {
      const session = await openSession(context(), { printsNotices: false });
      requirePermission(session.policy.canReadRuns, session, "see notices");
      const page = await session.profile.notices.list({ unread: options.all !== true, limit: MAX_SHOWN });
      const more = page.total - page.items.length;
      const paragraphs = [
        ...page.items.map((notice) => describeNotice(notice, session.timeZone)),
        ...(more > 0 ? [`${String(more)} more`] : []),
        page.items.length === 0 ? "No notices." : "Mark as read: mh notices read",
      ];
      context().output.result(page, paragraphs.join("\n\n"));
    });

  notices
    .command("read [id]")
    .description("mark one notice as read, or all")
    .action(async (id: string | undefined) => {
      const session = await openSession(context(), { printsNotices: false });
      requirePermission(session.policy.canUseSkills, session, "change notices");
      const { notices: port } = session.profile;
      if (id === undefined) {
        const read = await port.markAllRead();
        context().output.result({ read }, `Marked ${read} ${read === 1 ? "notice" : "notices"} as read.`);
      } else {
        const notice = await port.markRead(id, true);
        context().output.result({ notice }, `Marked as read: ${notice.title}`);
      }
    });
};

function describeNotice(
  { id, title, body, visibleAt, readAt, deliveries }: Notice,
  timeZone: string,
): string {
  const failed = deliveries
    .filter(({ state }) => state === "failed")
    .map(({ channel, error }) => `Not delivered by ${channel}: ${error ?? "no answer"}`);
  const head = `${formatTime(visibleAt, timeZone)}  ${title}${readAt === undefined ? "" : " (read)"}  ${id}`;
  return [head, ...(body === "" ? [] : [body]), ...failed].join("\n");
}
