import { z } from "zod";
import { Approval, Grant } from "../contract/approval.ts";
import type { RunEvent } from "../contract/event.ts";
import { grantReach } from "../contract/grant-reach.ts";
import type { Page } from "../contract/http.ts";
import type { Database } from "../database/open-database.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { CountRow, decodeCursor, jsonColumn, likePattern, pageOf } from "../database/rows.ts";
import type { ApprovalsQuery } from "./run-store.ts";
import { ulid } from "../text/ulid.ts";

const ApprovalRow = z.object({ approval: jsonColumn(Approval) }).transform((row) => row.approval);
const GrantRow = z.object({ grant_json: jsonColumn(Grant) }).transform((row) => row.grant_json);
const HAS_WORDS = `(:words IS NULL OR approval ->> '$.tool' || ' ' || (approval ->> '$.preview.title') LIKE :words ESCAPE '\\')`;

/** The approval after a decision. */
export function decidedApproval(
  open: Approval,
  { decision, reason, expired, at }: Extract<RunEvent, { type: "approval-resolved" }>,
): Approval {
  const decided: Approval = expired
    ? { ...open, status: "expired", decidedAt: at }
    : { ...open, status: decision === "deny" ? "denied" : "allowed", decision, decidedAt: at };
  return reason === undefined ? decided : { ...decided, reason };
}

/** The permission that "always" creates. */
export function newGrant({ tool, grantOffer }: Approval, at: string): Grant {
  return { id: `grant-${ulid()}`, skill: tool, ...grantOffer, createdAt: at };
}

/** Whether two permissions allow the same calls. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  return one.skill === other.skill && grantReach(one.skill, one) === grantReach(other.skill, other);
}

/** Approvals and grants. Methods that write require the caller's transaction. */
export function approvalTables(database: Database) {
  const byId = database.query("SELECT approval FROM approvals WHERE id = ?", ApprovalRow);
  const ofRun = database.query("SELECT approval FROM approvals WHERE run_id = ? ORDER BY id", ApprovalRow);
  // Separate statements, because a combined one would use no index: this runs once a second, and few of many
  // approvals are pending.
  const inList = (condition: string) => ({
    page: database.query(
      `SELECT approval FROM approvals WHERE ${condition} AND (:before IS NULL OR id < :before) ORDER BY id DESC LIMIT :limit`,
      ApprovalRow,
    ),
    count: database.query(`SELECT count(*) AS count FROM approvals WHERE ${condition}`, CountRow),
  });
  const ofAnyStatus = inList(HAS_WORDS);
  const ofOneStatus = inList(`status = :status AND ${HAS_WORDS}`);
  const save = database.command(
    `INSERT INTO approvals (id, run_id, status, approval) VALUES (?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET status = excluded.status, approval = excluded.approval`,
  );
  const allGrants = database.query("SELECT grant_json FROM grants ORDER BY id DESC", GrantRow);
  const grantById = database.query("SELECT grant_json FROM grants WHERE id = ?", GrantRow);
  const insertGrant = database.command("INSERT INTO grants (id, grant_json) VALUES (?, ?)");
  const addGrant = database.command(
    "INSERT INTO grants (id, grant_json) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const removeGrant = database.command("DELETE FROM grants WHERE id = ?");

  const get = (id: string): Approval => {
    const found = byId.get(id);
    if (!found) throw new NotFoundError("There is no such approval.");
    return found;
  };
  const put = (approval: Approval) =>
    void save.run(approval.id, approval.runId, approval.status, JSON.stringify(approval));
  const grant = (approval: Approval, at: string): void => {
    const made = newGrant(approval, at);
    for (const known of allGrants.all()) if (isSameGrant(known, made)) removeGrant.run(known.id);
    insertGrant.run(made.id, JSON.stringify(made));
  };

  return {
    get,
    ofRun: (runId: string) => ofRun.all(runId),
    list(query: ApprovalsQuery): Page<Approval> {
      const [before] = query.cursor === undefined ? [null] : decodeCursor(query.cursor, 1);
      const filter = {
        status: query.status ?? null,
        words: query.query === undefined ? null : likePattern(query.query),
      };
      const { page, count } = query.status === undefined ? ofAnyStatus : ofOneStatus;
      const rows = page.all({ ...filter, before, limit: query.limit + 1 });
      return pageOf(rows, {
        limit: query.limit,
        total: count.get(filter)?.count ?? 0,
        keys: (item) => [item.id],
      });
    },
    grants: () => allGrants.all(),
    revokeGrant(id: string): Grant {
      const found = grantById.get(id);
      if (!found) throw new NotFoundError("There is no such permission.");
      removeGrant.run(id);
      return found;
    },
    has: (id: string) => byId.get(id) !== undefined,
    /** Returns false if a grant with this id exists. */
    addGrant: (made: Grant) => addGrant.run(made.id, JSON.stringify(made)).changes > 0,
    hasGrant: (id: string) => grantById.get(id) !== undefined,
    /** Withdraws permissions for calls that the run has not made yet. */
    withdrawAllowed(runId: string, isOpen: (approval: Approval) => boolean): void {
      for (const known of ofRun.all(runId))
        if (known.status === "allowed" && isOpen(known)) put({ ...known, status: "withdrawn" });
    },
    /** Updates approvals and grants after an event of the run. Without `grants`, for events of an imported run. */
    applyEvent(event: RunEvent, { grants = true } = {}): void {
      if (event.type === "approval-requested") put(event.approval);
      if (event.type === "approval-resolved") {
        const decided = decidedApproval(get(event.approvalId), event);
        put(decided);
        if (event.decision === "always" && grants) grant(decided, event.at);
      }
      if (event.type === "run-ended") {
        for (const open of ofRun.all(event.runId)) {
          if (open.status === "pending") put({ ...open, status: "withdrawn", decidedAt: event.at });
        }
      }
    },
  };
}
