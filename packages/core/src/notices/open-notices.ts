import { z } from "zod";
import type { LastDelivery } from "../contract/channels.ts";
import { Notice, NoticeChannel, NoticeDelivery, type NoticeUrgency } from "../contract/notice.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { redactText } from "../log/redact.ts";
import { CountRow, decodeCursor, likePattern, pageOf } from "../database/rows.ts";
import { ulid } from "../text/ulid.ts";
import type { NewNotice, NoticePort } from "./notice-port.ts";

const MAX_TITLE = 300;
const MAX_BODY = 4_000;

export const NoticeRow = z
  .object({
    id: z.string(),
    title: z.string(),
    body: z.string(),
    link: z.string().nullable(),
    urgency: z.string(),
    created_at: z.string(),
    visible_at: z.string(),
    read_at: z.string().nullable(),
  })
  .transform(({ link, created_at, visible_at, read_at, ...row }): unknown => ({
    ...row,
    ...(link !== null && { link }),
    createdAt: created_at,
    visibleAt: visible_at,
    ...(read_at !== null && { readAt: read_at }),
    deliveries: [],
  }))
  .pipe(Notice);
export const DeliveryRow = z
  .object({
    channel: z.string(),
    state: z.string(),
    attempts: z.int(),
    error: z.string().nullable(),
    at: z.string().nullable(),
  })
  .transform(({ error, at, ...row }): unknown => ({
    ...row,
    ...(error !== null && { error }),
    ...(at !== null && { at }),
  }))
  .pipe(NoticeDelivery);
export const PendingRow = z.object({ notice_id: z.string(), channel: NoticeChannel, attempts: z.int() });
const AtRow = z.object({ at: z.string().nullable() });

/** The columns of `notices` that `NoticeRow` reads. */
export const NOTICE_FIELDS = "id, title, body, link, urgency, created_at, visible_at, read_at";

/**
 * True for notices that are shown at `:now`: all that were not held back until quiet hours end, also if the clock was set back
 * after they were created.
 */
export const NOTICE_IS_SHOWN = "(visible_at <= :now OR visible_at = created_at)";

/** The stored form of a new notice: without secrets, and clipped to its maximum length. */
export function newNoticeRow(notice: NewNotice, createdAt: string) {
  const { title, body, link, urgency = "normal", dedupeKey, visibleAt } = notice;
  return {
    id: `notice-${ulid()}`,
    title: redactText(title).slice(0, MAX_TITLE).toWellFormed(),
    body: redactText(body).slice(0, MAX_BODY).toWellFormed(),
    link: link ?? null,
    urgency,
    dedupeKey: dedupeKey ?? null,
    createdAt,
    visibleAt: visibleAt !== undefined && visibleAt > createdAt ? visibleAt : createdAt,
  };
}

/** The stored outcome of a delivery. */
export function deliveryOutcome(outcome: Parameters<NoticePort["recordDelivery"]>[1]) {
  if ("delivered" in outcome) return { state: "delivered", error: null, retryAt: null };
  const { error, retryAt = null } = outcome;
  return {
    state: retryAt === null ? "failed" : "pending",
    error: redactText(error).slice(0, MAX_TITLE),
    retryAt,
  };
}

/** The last attempt on each channel. */
export function byChannel(rows: readonly NoticeDelivery[]): Map<NoticeChannel, LastDelivery> {
  return new Map(
    rows.map(({ channel, state, error, at }) => [
      channel,
      { state, ...(at !== undefined && { at }), ...(error !== undefined && { error }) },
    ]),
  );
}

function noticeStatements(database: Database) {
  return {
    byId: database.query(`SELECT ${NOTICE_FIELDS} FROM notices WHERE id = ?`, NoticeRow),
    page: database.query(
      `SELECT ${NOTICE_FIELDS} FROM notices WHERE ${NOTICE_IS_SHOWN} AND (:unread = 0 OR read_at IS NULL)
       AND (:words IS NULL OR title || char(10) || body LIKE :words ESCAPE '\\')
       AND (:before IS NULL OR (visible_at, id) < (:before, :beforeId)) ORDER BY visible_at DESC, id DESC LIMIT :limit`,
      NoticeRow,
    ),
    count: database.query(
      `SELECT count(*) AS count FROM notices WHERE ${NOTICE_IS_SHOWN} AND (:unread = 0 OR read_at IS NULL)
       AND (:words IS NULL OR title || char(10) || body LIKE :words ESCAPE '\\')`,
      CountRow,
    ),
    insert: database.command(
      `INSERT INTO notices (id, title, body, link, urgency, dedupe_key, created_at, visible_at)
       VALUES (:id, :title, :body, :link, :urgency, :dedupeKey, :createdAt, :visibleAt) ON CONFLICT (dedupe_key) DO NOTHING`,
    ),
    setRead: database.command("UPDATE notices SET read_at = ? WHERE id = ?"),
    setAllRead: database.command(
      `UPDATE notices SET read_at = :now WHERE read_at IS NULL AND ${NOTICE_IS_SHOWN}`,
    ),
    prune: database.command("DELETE FROM notices WHERE created_at < ?"),
  };
}

function deliveryStatements(database: Database) {
  return {
    deliveriesOf: database.query(
      "SELECT channel, state, attempts, error, at FROM notice_deliveries WHERE notice_id = ? ORDER BY channel",
      DeliveryRow,
    ),
    addDelivery: database.command(
      "INSERT INTO notice_deliveries (notice_id, channel, state, not_before) VALUES (?, ?, 'pending', ?)",
    ),
    pending: database.query(
      "SELECT notice_id, channel, attempts FROM notice_deliveries WHERE state = 'pending' AND not_before <= ? ORDER BY not_before LIMIT ?",
      PendingRow,
    ),
    lease: database.command(
      "UPDATE notice_deliveries SET not_before = ? WHERE notice_id = ? AND channel = ? AND state = 'pending'",
    ),
    lastDeliveries: database.query(
      "SELECT channel, state, attempts, error, max(at) AS at FROM notice_deliveries WHERE at IS NOT NULL GROUP BY channel",
      DeliveryRow,
    ),
    lastSuccess: database.query(
      "SELECT max(at) AS at FROM notice_deliveries WHERE channel = ? AND state = 'delivered'",
      AtRow,
    ),
    nextDelivery: database.query(
      "SELECT min(not_before) AS at FROM notice_deliveries WHERE state = 'pending'",
      AtRow,
    ),
    setDelivery: database.command(
      `UPDATE notice_deliveries SET state = :state, attempts = attempts + 1, error = :error, at = :at,
         not_before = coalesce(:retryAt, not_before) WHERE notice_id = :noticeId AND channel = :channel AND state = 'pending'`,
    ),
  };
}

/** Opens the notices of a profile on its `state.db`, opened with `stateMigrations`. */
export function openNotices(
  database: Database,
  {
    clock = () => new Date(),
    channels = () => [],
    onChange = () => undefined,
  }: {
    clock?: () => Date;
    /** The channels on which notices of this urgency are delivered, besides the page and the terminal. */
    channels?: (urgency: NoticeUrgency) => readonly NoticeChannel[];
    onChange?: () => void;
  } = {},
): NoticePort {
  const { byId, page, count, insert, setRead, setAllRead, prune } = noticeStatements(database);
  const deliveries = deliveryStatements(database);
  const { deliveriesOf, addDelivery } = deliveries;
  const iso = () => clock().toISOString();

  function withDeliveries(notice: Notice): Notice {
    return { ...notice, deliveries: deliveriesOf.all(notice.id) };
  }

  function noticeOf(id: string): Notice {
    const found = byId.get(id);
    if (!found) throw new NotFoundError("There is no such notice.");
    return withDeliveries(found);
  }

  const countOf = (unread: boolean, words: string | null = null) =>
    count.get({ now: iso(), unread: unread ? 1 : 0, words })?.count ?? 0;

  return {
    async send(notices) {
      const sent = database.durably(() =>
        notices.flatMap((notice) => {
          const row = newNoticeRow(notice, iso());
          if (insert.run(row).changes === 0) return [];
          for (const channel of channels(row.urgency))
            if (channel !== notice.exceptChannel) addDelivery.run(row.id, channel, row.visibleAt);
          return [noticeOf(row.id)];
        }),
      );
      if (sent.length > 0) onChange();
      return sent;
    },
    async list({ unread = false, query, limit, cursor }) {
      const words = query === undefined ? null : likePattern(query);
      const [before, beforeId] = cursor === undefined ? [null, null] : decodeCursor(cursor, 2);
      const rows = page.all({
        now: iso(),
        unread: unread ? 1 : 0,
        words,
        before,
        beforeId,
        limit: limit + 1,
      });
      const found = pageOf(rows, {
        limit,
        total: countOf(unread, words),
        keys: ({ visibleAt, id }) => [visibleAt, id],
      });
      return { ...found, items: found.items.map(withDeliveries), unread: countOf(true) };
    },
    get: async (id) => noticeOf(id),
    async markRead(id, read) {
      noticeOf(id);
      database.transaction(() => void setRead.run(read ? iso() : null, id));
      onChange();
      return noticeOf(id);
    },
    async markAllRead() {
      const { changes } = database.transaction(() => setAllRead.run({ now: iso() }));
      if (changes > 0) onChange();
      return changes;
    },
    ...deliveryMethods(database, deliveries, { clock, noticeOf, onChange }),
    prune: async (before) => database.transaction(() => void prune.run(before)),
  };
}

/** Claims deliveries that are due and records their outcomes. */
function deliveryMethods(
  database: Database,
  {
    pending,
    lease,
    lastDeliveries,
    lastSuccess,
    nextDelivery,
    setDelivery,
  }: ReturnType<typeof deliveryStatements>,
  {
    clock,
    noticeOf,
    onChange,
  }: { clock: () => Date; noticeOf: (id: string) => Notice; onChange: () => void },
): Pick<
  NoticePort,
  "claimDeliveries" | "nextDelivery" | "recordDelivery" | "lastDeliveries" | "lastSuccess"
> {
  const iso = () => clock().toISOString();
  return {
    async claimDeliveries(limit, leaseMs) {
      // Nothing to deliver is the usual case, and must cost no write.
      if (pending.all(iso(), 1).length === 0) return [];
      return database.durably(() => {
        const until = new Date(clock().getTime() + leaseMs).toISOString();
        return pending.all(iso(), limit).map(({ notice_id, channel, attempts }) => {
          lease.run(until, notice_id, channel);
          return { notice: noticeOf(notice_id), channel, attempts };
        });
      });
    },
    nextDelivery: async () => nextDelivery.get()?.at ?? undefined,
    async recordDelivery({ noticeId, channel }, outcome) {
      database.transaction(
        () => void setDelivery.run({ noticeId, channel, at: iso(), ...deliveryOutcome(outcome) }),
      );
      onChange();
    },
    lastDeliveries: async () => byChannel(lastDeliveries.all()),
    lastSuccess: async (channel) => lastSuccess.get(channel)?.at ?? undefined,
  };
}
