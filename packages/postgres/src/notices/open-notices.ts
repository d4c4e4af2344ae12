import { z } from "zod";
import type { Notice, NoticeChannel, NoticeUrgency } from "@metahuman/core/contract/notice";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { NoticePort } from "@metahuman/core/notices/notice-port";
import {
  byChannel,
  deliveryOutcome,
  DeliveryRow,
  newNoticeRow,
  NOTICE_FIELDS,
  NOTICE_IS_SHOWN,
  NoticeRow,
  PendingRow,
} from "@metahuman/core/notices/open-notices";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import type { Postgres } from "../open-postgres.ts";
import { plainText, type ProfileSession } from "../session.ts";

const AtRow = z.object({ at: z.string().nullable() });
const FILTER = `profile = :profile AND ${NOTICE_IS_SHOWN} AND (NOT :unread::boolean OR read_at IS NULL)
  AND (:words::text IS NULL OR lower(title || chr(10) || body) LIKE :words ESCAPE '\\')`;
const PENDING = "profile = :profile AND state = 'pending'";

/** Opens the notices of a profile in the database. */
export function openPostgresNotices(
  database: Postgres,
  profile: string,
  {
    channels = () => [],
    onChange = () => undefined,
  }: {
    /** The channels on which notices of this urgency are delivered, besides the page and the terminal. */
    channels?: (urgency: NoticeUrgency) => readonly NoticeChannel[];
    /** Called after this process changed the notices. */
    onChange?: () => void;
  } = {},
): NoticePort {
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);

  return {
    async send(notices) {
      const sent = await inProfile(async (session) => {
        const added: Notice[] = [];
        for (const notice of notices) {
          const { title, body } = notice;
          const row = newNoticeRow(
            { ...notice, title: plainText(title), body: plainText(body) },
            session.now.toISOString(),
          );
          const isNew = await session.run(
            `INSERT INTO notices (profile, id, title, body, link, urgency, dedupe_key, created_at, visible_at)
             VALUES (:profile, :id, :title, :body, :link, :urgency, :dedupeKey, :createdAt, :visibleAt)
             ON CONFLICT (profile, dedupe_key) DO NOTHING`,
            row,
          );
          if (isNew === 0) continue;
          for (const channel of channels(row.urgency))
            if (channel !== notice.exceptChannel)
              await session.run(
                `INSERT INTO notice_deliveries (profile, notice_id, channel, state, not_before)
                 VALUES (:profile, :id, :channel, 'pending', :visibleAt)`,
                { id: row.id, channel, visibleAt: row.visibleAt },
              );
          added.push(await noticeOf(session, row.id));
        }
        return added;
      });
      if (sent.length > 0) onChange();
      return sent;
    },
    list: ({ unread = false, query, limit, cursor }) =>
      inProfile(async (session) => {
        const words = query === undefined ? null : likePattern(query);
        const [before, beforeId] = cursor === undefined ? [null, null] : decodeCursor(cursor, 2);
        const now = session.now.toISOString();
        const rows = await session.all(
          NoticeRow,
          `SELECT ${NOTICE_FIELDS} FROM notices WHERE ${FILTER}
             AND (:before::text IS NULL OR (visible_at, id) < (:before, :beforeId))
           ORDER BY visible_at DESC, id DESC LIMIT :limit`,
          { now, unread, words, before: before ?? null, beforeId: beforeId ?? null, limit: limit + 1 },
        );
        const total = await countOf(session, { unread, words });
        const found = pageOf(rows, { limit, total, keys: ({ visibleAt, id }) => [visibleAt, id] });
        const items: Notice[] = [];
        for (const notice of found.items) items.push(await withDeliveries(session, notice));
        return { ...found, items, unread: await countOf(session, { unread: true, words: null }) };
      }),
    get: (id) => inProfile((session) => noticeOf(session, id)),
    async markRead(id, read) {
      const marked = await inProfile(async (session) => {
        await session.run("UPDATE notices SET read_at = :at WHERE profile = :profile AND id = :id", {
          id,
          at: read ? session.now.toISOString() : null,
        });
        return noticeOf(session, id);
      });
      onChange();
      return marked;
    },
    async markAllRead() {
      const marked = await inProfile((session) =>
        session.run(
          `UPDATE notices SET read_at = :now WHERE profile = :profile AND read_at IS NULL AND ${NOTICE_IS_SHOWN}`,
          { now: session.now.toISOString() },
        ),
      );
      if (marked > 0) onChange();
      return marked;
    },
    ...deliveryMethods({ database, profile }, onChange),
    prune: async (before) =>
      void (await inProfile((session) =>
        session.run("DELETE FROM notices WHERE profile = :profile AND created_at < :before", { before }),
      )),
  };
}

/** Claims deliveries that are due and records their outcomes. */
function deliveryMethods(
  { database, profile }: { database: Postgres; profile: string },
  onChange: () => void,
): Pick<
  NoticePort,
  "claimDeliveries" | "nextDelivery" | "recordDelivery" | "lastDeliveries" | "lastSuccess"
> {
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);
  return {
    claimDeliveries: (limit, leaseMs) =>
      inProfile(async (session) => {
        const claimed = await session.all(
          PendingRow,
          `UPDATE notice_deliveries SET not_before = :until
           WHERE profile = :profile AND (notice_id, channel) IN (
             SELECT notice_id, channel FROM notice_deliveries WHERE ${PENDING} AND not_before <= :now
             ORDER BY not_before LIMIT :limit FOR UPDATE SKIP LOCKED)
           RETURNING notice_id, channel, attempts`,
          {
            limit,
            now: session.now.toISOString(),
            until: new Date(session.now.getTime() + leaseMs).toISOString(),
          },
        );
        const deliveries: Awaited<ReturnType<NoticePort["claimDeliveries"]>> = [];
        for (const { notice_id, channel, attempts } of claimed)
          deliveries.push({ notice: await noticeOf(session, notice_id), channel, attempts });
        return deliveries;
      }),
    async nextDelivery() {
      const row = await database.readProfile(profile, (session) =>
        session.get(AtRow, `SELECT min(not_before) AS at FROM notice_deliveries WHERE ${PENDING}`),
      );
      return row?.at ?? undefined;
    },
    async recordDelivery({ noticeId, channel }, outcome) {
      const { error, ...became } = deliveryOutcome(outcome);
      await inProfile((session) =>
        session.run(
          `UPDATE notice_deliveries SET state = :state, attempts = attempts + 1, error = :error, at = :at,
             not_before = coalesce(:retryAt, not_before)
           WHERE ${PENDING} AND notice_id = :noticeId AND channel = :channel`,
          {
            ...{ noticeId, channel, at: session.now.toISOString(), ...became },
            error: error === null ? null : plainText(error),
          },
        ),
      );
      onChange();
    },
    async lastDeliveries() {
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          DeliveryRow,
          `SELECT DISTINCT ON (channel) channel, state, attempts, error, at FROM notice_deliveries
           WHERE profile = :profile AND at IS NOT NULL ORDER BY channel, at DESC`,
        ),
      );
      return byChannel(rows);
    },
    async lastSuccess(channel) {
      const row = await database.readProfile(profile, (session) =>
        session.get(
          AtRow,
          `SELECT max(at) AS at FROM notice_deliveries
           WHERE profile = :profile AND channel = :channel AND state = 'delivered'`,
          { channel },
        ),
      );
      return row?.at ?? undefined;
    },
  };
}

async function withDeliveries(session: ProfileSession, notice: Notice): Promise<Notice> {
  const deliveries = await session.all(
    DeliveryRow,
    `SELECT channel, state, attempts, error, at FROM notice_deliveries
     WHERE profile = :profile AND notice_id = :id ORDER BY channel`,
    { id: notice.id },
  );
  return { ...notice, deliveries };
}

async function noticeOf(session: ProfileSession, id: string): Promise<Notice> {
  const found = await session.get(
    NoticeRow,
    `SELECT ${NOTICE_FIELDS} FROM notices WHERE profile = :profile AND id = :id`,
    { id },
  );
  if (!found) throw new NotFoundError("There is no such notice.");
  return withDeliveries(session, found);
}

async function countOf(
  session: ProfileSession,
  filter: { unread: boolean; words: string | null },
): Promise<number> {
  const row = await session.get(CountRow, `SELECT count(*)::integer AS count FROM notices WHERE ${FILTER}`, {
    now: session.now.toISOString(),
    ...filter,
  });
  return row?.count ?? 0;
}
