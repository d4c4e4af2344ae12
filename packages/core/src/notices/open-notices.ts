import { z } from "zod";
import { Notice, NoticeChannel, NoticeDelivery, type NoticeUrgency } from "../contract/notice.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { redactText } from "../log/secret-patterns.ts";
import { CountRow } from "../runs/json-column.ts";
import { containing, decodeCursor, pageOf } from "../runs/page-of.ts";
import { ulid } from "../runs/ulid.ts";
import type { NoticePort } from "./notice-port.ts";

const MAX_TITLE = 300;
const MAX_BODY = 4_000;

const NoticeRow = z
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
const DeliveryRow = z
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
const PendingRow = z.object({ notice_id: z.string(), channel: NoticeChannel, attempts: z.int() });
const AtRow = z.object({ at: z.string().nullable() });

const FIELDS = "id, title, body, link, urgency, created_at, visible_at, read_at";

function noticeStatements(database: Database) {
  return {
    byId: database.query(`SELECT ${FIELDS} FROM notices WHERE id = ?`, NoticeRow),
    page: database.query(
      `SELECT ${FIELDS} FROM notices WHERE visible_at <= :now AND (:unread = 0 OR read_at IS NULL)
       AND (:words IS NULL OR title || char(10) || body LIKE :words ESCAPE '\\')
       AND (:before IS NULL OR (visible_at, id) < (:before, :beforeId)) ORDER BY visible_at DESC, id DESC LIMIT :limit`,
      NoticeRow,
    ),
    count: database.query(
      "SELECT count(*) AS count FROM notices WHERE visible_at <= :now AND (:unread = 0 OR read_at IS NULL) AND (:words IS NULL OR title || char(10) || body LIKE :words ESCAPE '\\')",
      CountRow,
    ),
    insert: database.command(
      `INSERT INTO notices (id, title, body, link, urgency, dedupe_key, created_at, visible_at)
       VALUES (:id, :title, :body, :link, :urgency, :dedupeKey, :createdAt, :visibleAt) ON CONFLICT (dedupe_key) DO NOTHING`,
    ),
    setRead: database.command("UPDATE notices SET read_at = ? WHERE id = ?"),
    setAllRead: database.command(
      "UPDATE notices SET read_at = :now WHERE read_at IS NULL AND visible_at <= :now",
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
          const { title, body, link, urgency = "normal", dedupeKey, visibleAt, exceptChannel } = notice;
          const id = `notice-${ulid()}`;
          const createdAt = iso();
          const shownAt = visibleAt !== undefined && visibleAt > createdAt ? visibleAt : createdAt;
          const { changes } = insert.run({
            id,
            title: redactText(title).slice(0, MAX_TITLE).toWellFormed(),
            body: redactText(body).slice(0, MAX_BODY).toWellFormed(),
            link: link ?? null,
            urgency,
            dedupeKey: dedupeKey ?? null,
            createdAt,
            visibleAt: shownAt,
          });
          if (changes === 0) return [];
          for (const channel of channels(urgency))
            if (channel !== exceptChannel) addDelivery.run(id, channel, shownAt);
          return [noticeOf(id)];
        }),
      );
      if (sent.length > 0) onChange();
      return sent;
    },
    async list({ unread = false, query, limit, cursor }) {
      const words = query === undefined ? null : containing(query);
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

/** Claims deliveries that are due and records what became of them. */
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
      const isDelivered = "delivered" in outcome;
      const retryAt = isDelivered ? undefined : outcome.retryAt;
      database.transaction(
        () =>
          void setDelivery.run({
            noticeId,
            channel,
            state: isDelivered ? "delivered" : retryAt === undefined ? "failed" : "pending",
            error: isDelivered ? null : redactText(outcome.error).slice(0, MAX_TITLE),
            at: iso(),
            retryAt: retryAt ?? null,
          }),
      );
      onChange();
    },
    lastDeliveries: async () =>
      new Map(
        lastDeliveries
          .all()
          .map(({ channel, state, error, at }) => [
            channel,
            { state, ...(at !== undefined && { at }), ...(error !== undefined && { error }) },
          ]),
      ),
    lastSuccess: async (channel) => lastSuccess.get(channel)?.at ?? undefined,
  };
}
