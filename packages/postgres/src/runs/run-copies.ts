import { z } from "zod";
import type { RunEvent } from "@metahuman/core/contract/event";
import type { Run } from "@metahuman/core/contract/run";
import {
  approvalIds,
  compareEvents,
  compareMessages,
  exportConversation,
  isOpenIn,
  type RunCopies,
  validateCopy,
} from "@metahuman/core/runs/run-copies";
import type { RunCopy } from "@metahuman/core/runs/run-copy";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import type { Postgres } from "../open-postgres.ts";
import type { ProfileSession } from "../session.ts";
import { approvalTables } from "./approval-tables.ts";
import { conversationTables } from "./conversation-tables.ts";
import { inspectionTables } from "./inspection-tables.ts";
import { runTables } from "./run-tables.ts";

const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const IDS_PER_READ = 500;
const EVENTS_PER_READ = 1_000;

/** Exports and restores the conversations, runs and standing permissions of a profile in the database. */
export function openPostgresRunCopies(database: Postgres, profile: string): RunCopies {
  const runs = runTables();
  const inspection = inspectionTables();
  const inProfile = <Result>(work: (session: ProfileSession) => Promise<Result>) =>
    database.inProfile(profile, work);

  async function* idsOf(table: "conversations" | "runs"): AsyncGenerator<string> {
    for (let last = ""; ;) {
      const after = { last, limit: IDS_PER_READ };
      const sql = `SELECT id FROM ${table} WHERE profile = :profile AND id > :last ORDER BY id LIMIT :limit`;
      const ids = await inProfile((session) => session.all(IdRow, sql, after));
      yield* ids;
      const end = ids.at(-1);
      if (end === undefined) return;
      last = end;
    }
  }

  async function readEvents(session: ProfileSession, id: string): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for (;;) {
      const page = await runs.events(session, id, events.at(-1)?.seq ?? 0, EVENTS_PER_READ);
      if (page.length === 0) return events;
      events.push(...page);
    }
  }

  async function exportRun(session: ProfileSession, id: string): Promise<RunCopy> {
    const { conversationId, createdAt } = await runs.get(session, id);
    const feedback = await inspection.feedback(session, id);
    return {
      id,
      conversationId,
      createdAt,
      request: await runs.request(session, id),
      events: await readEvents(session, id),
      modelCalls: await inspection.calls(session, id),
      ...(feedback && { feedback }),
    };
  }

  /** Adds a run with its events, approvals, model calls and feedback, and returns it. */
  async function addRun(session: ProfileSession, copy: RunCopy, request: RunRequest): Promise<Run> {
    const { id, conversationId, createdAt, events, modelCalls, feedback } = copy;
    const queued = await runs.insert(session, { id, conversationId, createdAt, owner: null }, request);
    const run = await runs.applyEvents(session, queued, events);
    for (const event of events) await approvalTables.applyEvent(session, event, { grants: false });
    for (const call of modelCalls) (await inspection.addCall(session, id, call))();
    if (feedback) await inspection.setFeedback(session, id, feedback);
    await conversationTables.linkMessagesToRun(session, id);
    return run;
  }

  return {
    conversationIds: () => idsOf("conversations"),
    conversation: (id) =>
      inProfile(async (session) =>
        exportConversation(
          await conversationTables.get(session, id),
          await conversationTables.messages(session, id),
        ),
      ),
    runIds: () => idsOf("runs"),
    run: (id) => inProfile((session) => exportRun(session, id)),
    grants: () => inProfile((session) => approvalTables.grants(session)),

    hasConversation: (id) => inProfile((session) => conversationTables.has(session, id)),
    compareConversation: (copy) =>
      inProfile(async (session) => {
        if (!(await conversationTables.has(session, copy.id))) return { kind: "new" };
        const { title } = await conversationTables.get(session, copy.id);
        if (title !== copy.title) return { kind: "conflict", reason: `its title here is “${title}”` };
        return compareMessages(copy, await conversationTables.messages(session, copy.id));
      }),
    restoreConversation: (copy, { retitle }) =>
      inProfile(async (session) => {
        await conversationTables.restore(session, copy);
        if (retitle) await conversationTables.rename(session, copy.id, copy.title);
      }),
    compareRun: (copy) =>
      inProfile(async (session) => {
        const known = await session.get(IdRow, "SELECT id FROM runs WHERE profile = :profile AND id = :id", {
          id: copy.id,
        });
        if (known !== undefined) return compareEvents(copy, await exportRun(session, copy.id));
        const taken = await session.all(
          IdRow,
          "SELECT id FROM approvals WHERE profile = :profile AND id = ANY(:ids::text[])",
          { ids: approvalIds(copy) },
        );
        return validateCopy(copy, new Set(taken));
      }),
    async restoreRun(copy) {
      await inProfile(async (session) => {
        const { restored: _restored, ...request } = copy.request;
        const run = await addRun(session, copy, request);
        if (run.status === "ended") return;
        await runs.setRequest(session, copy.id, { ...request, restored: true });
        await approvalTables.withdrawAllowed(session, copy.id, isOpenIn(run));
        if (run.status === "queued" || run.status === "running")
          await runs.append(session, run, [
            { type: "run-interrupted", reason: "It had not ended when the backup was made." },
          ]);
      });
    },
    migrateRun: (copy) =>
      inProfile(async (session) => {
        const run = await addRun(session, copy, copy.request);
        if (run.status === "running")
          await session.run("UPDATE runs SET claimed = true WHERE profile = :profile AND id = :id", {
            id: copy.id,
          });
      }),
    hasGrant: (id) => inProfile((session) => approvalTables.hasGrant(session, id)),
    restoreGrant: async (grant) =>
      void (await inProfile((session) => approvalTables.addGrant(session, grant))),
  };
}
