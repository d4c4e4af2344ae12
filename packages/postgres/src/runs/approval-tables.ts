import { z } from "zod";
import { Approval, Grant } from "@metahuman/core/contract/approval";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Page } from "@metahuman/core/contract/http";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { decidedApproval, isSameGrant, newGrant } from "@metahuman/core/runs/approval-tables";
import { CountRow, decodeCursor, likePattern, pageOf } from "@metahuman/core/database/rows";
import type { ApprovalsQuery } from "@metahuman/core/runs/run-store";
import { jsonText, type ProfileSession } from "../session.ts";

const ApprovalRow = z.object({ approval: Approval }).transform((row) => row.approval);
const GrantRow = z.object({ body: Grant }).transform((row) => row.body);

const FILTER = `profile = :profile AND (:status::text IS NULL OR status = :status)
  AND (:words::text IS NULL OR lower((approval ->> 'tool') || ' ' || (approval #>> '{preview,title}')) LIKE :words ESCAPE '\\')`;

/** Approvals and permissions. Every method runs in the caller's transaction. */
export const approvalTables = {
  async get(session: ProfileSession, id: string): Promise<Approval> {
    const found = await session.get(
      ApprovalRow,
      "SELECT approval FROM approvals WHERE profile = :profile AND id = :id",
      { id },
    );
    if (!found) throw new NotFoundError("There is no such approval.");
    return found;
  },
  ofRun: (session: ProfileSession, runId: string) =>
    session.all(
      ApprovalRow,
      "SELECT approval FROM approvals WHERE profile = :profile AND run_id = :runId ORDER BY id",
      { runId },
    ),
  async list(session: ProfileSession, query: ApprovalsQuery): Promise<Page<Approval>> {
    const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 1);
    const filter = {
      status: query.status ?? null,
      words: query.query === undefined ? null : likePattern(query.query),
    };
    const rows = await session.all(
      ApprovalRow,
      `SELECT approval FROM approvals WHERE ${FILTER} AND (:before::text IS NULL OR id < :before)
       ORDER BY id DESC LIMIT :limit`,
      { ...filter, before: before ?? null, limit: query.limit + 1 },
    );
    const count = await session.get(
      CountRow,
      `SELECT count(*)::integer AS count FROM approvals WHERE ${FILTER}`,
      filter,
    );
    return pageOf(rows, { limit: query.limit, total: count?.count ?? 0, keys: (item) => [item.id] });
  },
  grants,
  async revokeGrant(session: ProfileSession, id: string): Promise<Grant> {
    const found = await session.get(
      GrantRow,
      "DELETE FROM grants WHERE profile = :profile AND id = :id RETURNING body",
      { id },
    );
    if (!found) throw new NotFoundError("There is no such permission.");
    return found;
  },
  addGrant,
  hasGrant: async (session: ProfileSession, id: string): Promise<boolean> =>
    (await session.all(z.unknown(), "SELECT 1 FROM grants WHERE profile = :profile AND id = :id", { id }))
      .length > 0,
  /** Withdraws permissions for calls that the run has not made yet. */
  async withdrawAllowed(
    session: ProfileSession,
    runId: string,
    isOpen: (approval: Approval) => boolean,
  ): Promise<void> {
    for (const known of await approvalTables.ofRun(session, runId))
      if (known.status === "allowed" && isOpen(known)) await put(session, { ...known, status: "withdrawn" });
  },
  /** Updates approvals and permissions after an event of the run. Without `grants`, for events of an imported run. */
  async applyEvent(
    session: ProfileSession,
    event: RunEvent,
    { grants: isGranted = true } = {},
  ): Promise<void> {
    if (event.type === "approval-requested") await put(session, event.approval);
    if (event.type === "approval-resolved") {
      const decided = decidedApproval(await approvalTables.get(session, event.approvalId), event);
      await put(session, decided);
      if (event.decision === "always" && isGranted) await grant(session, decided, event.at);
    }
    if (event.type === "run-ended") {
      for (const open of await approvalTables.ofRun(session, event.runId))
        if (open.status === "pending")
          await put(session, { ...open, status: "withdrawn", decidedAt: event.at });
    }
  },
};

function put(session: ProfileSession, approval: Approval): Promise<number> {
  return session.run(
    `INSERT INTO approvals (profile, id, run_id, status, approval)
     VALUES (:profile, :id, :runId, :status, :approval::jsonb)
     ON CONFLICT (profile, id) DO UPDATE SET status = excluded.status, approval = excluded.approval`,
    { id: approval.id, runId: approval.runId, status: approval.status, approval: jsonText(approval) },
  );
}

/** Newest first. */
function grants(session: ProfileSession): Promise<Grant[]> {
  return session.all(GrantRow, "SELECT body FROM grants WHERE profile = :profile ORDER BY id DESC");
}

/** Replaces permissions for the same calls. */
async function grant(session: ProfileSession, approval: Approval, at: string): Promise<void> {
  const made = newGrant(approval, at);
  const replaced = (await grants(session)).filter((known) => isSameGrant(known, made)).map(({ id }) => id);
  await session.run("DELETE FROM grants WHERE profile = :profile AND id = ANY(:ids::text[])", {
    ids: replaced,
  });
  await addGrant(session, made);
}

/** Returns false if a grant with this id exists. */
async function addGrant(session: ProfileSession, made: Grant): Promise<boolean> {
  const added = await session.run(
    "INSERT INTO grants (profile, id, body) VALUES (:profile, :id, :body::jsonb) ON CONFLICT DO NOTHING",
    { id: made.id, body: jsonText(made) },
  );
  return added > 0;
}
