import { appendFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import {
  anchorLine,
  type AuditKey,
  GENESIS,
  type Link,
  linkEntry,
  parseLine,
  prepareEntry,
  readAnchors,
  signatureStatus,
} from "@metahuman/core/audit/signed-chain";
import { type AuditLogOptions, DAY_MS, MAX_BATCH } from "@metahuman/core/audit/open-audit-log";
import { queryWords, readCursor } from "@metahuman/core/audit/search";
import { type AuditEntry, type AuditEvent, AuditQuery } from "@metahuman/core/contract/audit";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { StorageUnavailableError } from "@metahuman/core/errors/storage-errors";
import { CountRow } from "@metahuman/core/database/rows";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type ProfileSession } from "../session.ts";
import { type ChainEnd, verifyLines } from "./verify.ts";

/** The interval at which a stream checks for lines of other processes, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;
const LINES_PER_READ = 500;

type Prepared = Omit<AuditEntry, "seq" | "previous">;

const EndRow = z
  .object({
    seq: z.coerce.number().int(),
    hash: z.string(),
    signed_since: z.coerce.number().int().nullable(),
    key: z.string().nullable(),
    signature: z.string().nullable(),
  })
  .transform(({ signed_since: since, key, signature, ...link }): ChainEnd => ({
    ...link,
    ...(since !== null && key !== null && signature !== null && { signed: { since, key, signature } }),
  }));

export interface PostgresAuditOptions extends Pick<AuditLogOptions, "anchorFile"> {
  /** Signs the end of the log with each change. It must come from outside of the database. */
  key?: AuditKey;
}

/**
 * Opens the audit log of a profile in the database. Appending locks the end of its chain, so that all processes write one
 * chain; lines that arrive meanwhile share the next transaction.
 */
export function openPostgresAuditLog(
  database: Postgres,
  profile: string,
  { key, anchorFile }: PostgresAuditOptions = {},
): AuditLog {
  const pending: { prepared: Prepared; done: () => void; failed: (error: unknown) => void }[] = [];
  const closing = new AbortController();
  const writes = new EventTarget();
  let flushing: Promise<void> | undefined;
  /** Streams that are finding out where the log ends. Later lines are written after that. */
  let starting: Promise<unknown> = Promise.resolve();

  async function flushAll(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending.splice(0, MAX_BATCH);
      const lines = batch.map(({ prepared }) => prepared);
      try {
        await starting;
        await database.inProfile(profile, (session) => writeLines(session, lines, key));
        for (const { done } of batch) done();
        writes.dispatchEvent(new Event("written"));
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    flushing = undefined;
  }

  async function append(event: AuditEvent): Promise<void> {
    if (closing.signal.aborted) throw new ConflictError("The audit log is closed.");
    // The database sets the time.
    const prepared = prepareEntry(event, new Date());
    await new Promise<void>((done, failed) => {
      pending.push({ prepared, done, failed });
      flushing ??= flushAll();
    });
  }

  const readEnd = () => database.readProfile(profile, (session) => endOf(session));

  async function verifyUpTo(end: ChainEnd | undefined, signal: AbortSignal | undefined) {
    const file = anchorFile?.();
    const anchors = key && file !== undefined ? await readAnchors(file, { profile, key }) : [];
    const linesAfter = (seq: number) => readAfter(database, profile, seq);
    return verifyLines({ end, status: statusOf(profile, end, key), anchors, linesAfter, signal });
  }

  return {
    append,
    search: (query, signal) => search(database, profile, { query, signal }),
    async tail(limit) {
      if (limit <= 0) return [];
      const rows = await database.readProfile(profile, (session) =>
        session.all(
          LineRow,
          "SELECT line FROM audit_lines WHERE profile = :profile ORDER BY seq DESC LIMIT :limit",
          { limit },
        ),
      );
      return entriesOf(rows.toReversed());
    },
    async verify(signal) {
      const end = await readEnd();
      const verification = await verifyUpTo(end, signal);
      if (end || verification.ok) return verification;
      // The end is stored with the first lines, which others may have written since it was looked for.
      return verifyUpTo(await readEnd(), signal);
    },
    async startSigning() {
      const end = await readEnd();
      if (!key || !end || end.seq === 0) return undefined;
      if (!end.signed) {
        await append({ event: "audit_signing_started", details: { unsignedLines: end.seq } });
        return "audit_signing_started";
      }
      if (end.signed.key === key.id) return undefined;
      await append({ event: "audit_key_changed", details: { from: end.signed.key, to: key.id } });
      return "audit_key_changed";
    },
    async anchorIfDue() {
      const file = anchorFile?.();
      if (!key || file === undefined) return false;
      const end = await readEnd();
      if (!end || statusOf(profile, end, key) !== "valid") return false;
      const last = (await readAnchors(file, { profile, key })).at(-1)?.anchor;
      const now = new Date();
      if (last && Math.abs(now.getTime() - Date.parse(last.at)) < DAY_MS) return false;
      await appendFile(file, anchorLine({ profile, key }, end, now), { mode: 0o600, flush: true });
      return true;
    },
    stream(signal) {
      const start = readEnd();
      starting = Promise.allSettled([starting, start]);
      return follow(database, profile, {
        start,
        writes,
        signal: AbortSignal.any([signal, closing.signal]),
      });
    },
    async close() {
      closing.abort();
      await flushing;
    },
  };
}

const LineRow = z.object({ line: z.string() }).transform((row) => row.line);

function entriesOf(lines: readonly string[]): AuditEntry[] {
  return lines.map(parseLine).filter((entry) => entry !== undefined);
}

export function endOf(session: ProfileSession, lock: "" | "FOR UPDATE" = ""): Promise<ChainEnd | undefined> {
  return session.get(
    EndRow,
    `SELECT seq, hash, signed_since, key, signature FROM audit_ends WHERE profile = :profile ${lock}`,
  );
}

export function signedFields(profile: string, { seq, hash }: Link, since: number, keyId: string) {
  return ["metahuman-audit-row-1", profile, seq, hash, since, keyId];
}

/** Undefined without a signature or a key. */
function statusOf(profile: string, end: ChainEnd | undefined, key: AuditKey | undefined) {
  if (!end?.signed || !key) return undefined;
  const expected = key.sign(signedFields(profile, end, end.signed.since, end.signed.key));
  return signatureStatus(end.signed, key, expected);
}

/** Appends lines to the chain, whose end stays locked until the transaction ends. */
async function writeLines(
  session: ProfileSession,
  batch: readonly Prepared[],
  key: AuditKey | undefined,
): Promise<void> {
  const [, end] = await Promise.all([
    session.run(
      "INSERT INTO audit_ends (profile, seq, hash) VALUES (:profile, 0, :genesis) ON CONFLICT DO NOTHING",
      { genesis: GENESIS },
    ),
    endOf(session, "FOR UPDATE"),
  ]);
  if (!end) throw new Error("the end of the audit log is missing");
  const isForged = statusOf(session.profile, end, key) === "invalid";
  const notices = isForged ? [prepareEntry({ event: "audit_signature_invalid" }, session.now)] : [];
  let link: Link = { seq: end.seq, hash: end.hash };
  const rows = [...notices, ...batch].map((line) => {
    const prepared = { ...line, at: session.now.toISOString() };
    const linked = linkEntry(prepared, link);
    link = linked.link;
    const { at, event, runId = null } = prepared;
    return {
      seq: link.seq,
      at,
      event,
      runId,
      line: linked.line,
      content: JSON.stringify(prepared).toLowerCase(),
    };
  });
  session.sendLast(
    `INSERT INTO audit_lines (profile, seq, at, event, run_id, line, content)
     SELECT :profile, row.* FROM jsonb_to_recordset(:rows::jsonb)
       AS row (seq bigint, at text, event text, "runId" text, line text, content text)`,
    { rows: jsonText(rows) },
  );
  const since = key ? (end.signed?.since ?? end.seq + 1) : null;
  session.sendLast(
    `UPDATE audit_ends SET seq = :seq, hash = :hash, signed_since = :since, key = :key, signature = :signature
     WHERE profile = :profile`,
    {
      ...link,
      since,
      key: key?.id ?? null,
      signature: key && since !== null ? key.sign(signedFields(session.profile, link, since, key.id)) : null,
    },
  );
}

async function search(
  database: Postgres,
  profile: string,
  { query: request, signal }: { query: AuditQuery; signal: AbortSignal | undefined },
) {
  signal?.throwIfAborted();
  const { event, runId, since, until, query, limit, cursor } = AuditQuery.parse(request);
  const before = cursor === undefined ? null : readCursor(cursor);
  const patterns = queryWords(query).map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  const filter = {
    event: event ?? null,
    runId: runId ?? null,
    since: since === undefined ? null : new Date(since).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
    patterns,
  };
  const where = [
    "profile = :profile",
    ...(event === undefined ? [] : ["event = :event"]),
    ...(runId === undefined ? [] : ["run_id = :runId"]),
    ...(since === undefined ? [] : ["at >= :since"]),
    ...(until === undefined ? [] : ["at < :until"]),
    ...(patterns.length === 0 ? [] : ["content LIKE ALL (:patterns::text[])"]),
  ].join(" AND ");
  return database.inProfile(profile, async (session) => {
    const lines = await session.all(
      LineRow,
      `SELECT line FROM audit_lines WHERE ${where} ${before === null ? "" : "AND seq < :before"}
       ORDER BY seq DESC LIMIT :limit`,
      { ...filter, before, limit: limit + 1 },
    );
    const total =
      where === "profile = :profile"
        ? (await endOf(session))?.seq
        : (
            await session.get(
              CountRow,
              `SELECT count(*)::integer AS count FROM audit_lines WHERE ${where}`,
              filter,
            )
          )?.count;
    const items = entriesOf(lines.slice(0, limit));
    const nextCursor = lines.length > limit ? String(items.at(-1)?.seq) : null;
    return { items, nextCursor, total: total ?? 0 };
  });
}

/** The next lines after a number, in order. */
export function readAfter(database: Postgres, profile: string, seq: number) {
  return database.readProfile(profile, (session) =>
    session.all(
      NumberedLine,
      `SELECT seq::text, line FROM audit_lines WHERE profile = :profile AND seq > :seq
       ORDER BY audit_lines.seq LIMIT :limit`,
      { seq, limit: LINES_PER_READ },
    ),
  );
}
const NumberedLine = z.object({ seq: z.coerce.number().int(), line: z.string() });

/** Like `readAfter`; nothing while the database cannot be used, so that a stream survives its restart. */
async function readIfAvailable(database: Postgres, profile: string, seq: number) {
  try {
    return await readAfter(database, profile, seq);
  } catch (error) {
    if (error instanceof StorageUnavailableError) return [];
    throw error;
  }
}

/** Streams every line after `start`, in order, until `signal` aborts. */
async function* follow(
  database: Postgres,
  profile: string,
  { start, writes, signal }: { start: Promise<Link | undefined>; writes: EventTarget; signal: AbortSignal },
): AsyncGenerator<AuditEntry> {
  let seq = (await start)?.seq ?? 0;
  while (!isAborted(signal)) {
    // Waiting starts before reading, so that no line written meanwhile is missed.
    const notified = nextWrite(writes, signal);
    const lines = await readIfAvailable(database, profile, seq);
    for (const { seq: read, line } of lines) {
      seq = read;
      const entry = parseLine(line);
      if (entry) yield entry;
      if (isAborted(signal)) return;
    }
    if (lines.length < LINES_PER_READ) await notified;
  }
}

/** Resolves after a write of this process, after a second, or when `signal` aborts. */
async function nextWrite(writes: EventTarget, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  const stop = (): void => waiting.abort();
  const options = { signal: waiting.signal };
  writes.addEventListener("written", stop, options);
  signal.addEventListener("abort", stop, options);
  if (signal.aborted) stop();
  try {
    await delay(POLL_INTERVAL_MS, undefined, { signal: waiting.signal, ref: false });
  } catch (error) {
    if (!waiting.signal.aborted) throw error;
  }
  stop();
}

/** A function, because the compiler assumes that the property does not change. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
