import { z } from "zod";
import type { AuditCopies } from "@metahuman/core/audit/audit-copies";
import { type AuditKey, hashLine, type Link, parseLine, START } from "@metahuman/core/audit/signed-chain";
import { InvalidArgsError } from "@metahuman/core/errors/request-errors";
import { StorageCorruptError } from "@metahuman/core/errors/storage-errors";
import type { Postgres } from "../open-postgres.ts";
import { jsonText } from "../session.ts";
import { endOf, openPostgresAuditLog, readAfter, signedFields } from "./open-audit-log.ts";

const Content = z.looseObject({ seq: z.unknown(), previous: z.unknown() });

/** Uses the chain of a profile in the database. */
export function openPostgresAuditCopies(database: Postgres, profile: string, key: AuditKey): AuditCopies {
  let end: Link = START;
  return {
    async *lines() {
      for (let last = 0; ;) {
        const rows = await readAfter(database, profile, last);
        const newest = rows.at(-1);
        if (!newest) return;
        yield rows.map(({ line }) => line);
        last = newest.seq;
      }
    },
    signedSince: async () => (await database.inProfile(profile, (session) => endOf(session)))?.signed?.since,
    async append(lines) {
      const rows = lines.map((line) => {
        const row = rowOf(line, end.seq + 1);
        end = { seq: row.seq, hash: hashLine(line) };
        return row;
      });
      await database.inProfile(profile, (session) =>
        session.run(
          `INSERT INTO audit_lines (profile, seq, at, event, run_id, line, content)
           SELECT :profile, row.* FROM jsonb_to_recordset(:rows::jsonb)
             AS row (seq bigint, at text, event text, "runId" text, line text, content text)`,
          { rows: jsonText(rows) },
        ),
      );
    },
    async end(since) {
      if (end.seq === 0) return;
      await database.inProfile(profile, (session) =>
        session.run(
          `INSERT INTO audit_ends (profile, seq, hash, signed_since, key, signature)
           VALUES (:profile, :seq, :hash, :since, :key, :signature)`,
          {
            ...end,
            since: since ?? null,
            key: since === undefined ? null : key.id,
            signature: since === undefined ? null : key.sign(signedFields(profile, end, since, key.id)),
          },
        ),
      );
    },
    async verify() {
      const log = openPostgresAuditLog(database, profile, { key });
      try {
        return await log.verify();
      } finally {
        await log.close();
      }
    },
  };
}

function rowOf(line: string, seq: number) {
  const entry = parseLine(line);
  if (entry?.seq !== seq)
    throw new StorageCorruptError(`Line ${seq} of the audit log cannot be read.`, {
      suggestions: ["See what mh audit verify reports."],
    });
  if (line.includes("\u0000"))
    throw new InvalidArgsError(`Line ${seq} of the audit log has a character that cannot be stored.`);
  const { seq: _seq, previous: _previous, ...prepared } = Content.parse(JSON.parse(line));
  const { at, event, runId = null } = entry;
  return { seq, at, event, runId, line, content: JSON.stringify(prepared).toLowerCase() };
}
