import { z } from "zod";
import { formatCount } from "../text/format.ts";
import { isDeepStrictEqual } from "node:util";
import type { Approval, Grant } from "../contract/approval.ts";
import type { Conversation, Message } from "../contract/conversation.ts";
import type { RunEvent } from "../contract/event.ts";
import type { Run } from "../contract/run.ts";
import type { Database } from "../database/open-database.ts";
import { approvalTables } from "./approval-tables.ts";
import { conversationTables } from "./conversation-tables.ts";
import { inspectionTables } from "./inspection-tables.ts";
import type { ConversationCopy, CopyComparison, RunCopy } from "./run-copy.ts";
import type { RunRequest } from "./run-store.ts";
import { runTables } from "./run-tables.ts";

/** Exports and restores the conversations, runs and grants of a profile. Restoring never overwrites. */
export interface RunCopies {
  /** Iterates over all ids in ascending order. One that is added meanwhile is included if its id is greater than the current one. */
  conversationIds(): AsyncIterable<string>;
  /** Throws `NotFoundError` for an unknown id. */
  conversation(id: string): Promise<ConversationCopy>;
  /** Iterates over all ids in ascending order, as `conversationIds` does. */
  runIds(): AsyncIterable<string>;
  /** Throws `NotFoundError` for an unknown id. */
  run(id: string): Promise<RunCopy>;
  /** Newest first. */
  grants(): Promise<Grant[]>;

  compareConversation(copy: ConversationCopy): Promise<CopyComparison>;
  /** Adds the conversation, or the messages that it lacks. With `retitle`, also replaces its title. */
  restoreConversation(copy: ConversationCopy, options: { retitle: boolean }): Promise<void>;
  hasConversation(id: string): Promise<boolean>;
  /** Compares the copy with the run of the same id. A copy of an unknown run is checked for consistency. */
  compareRun(copy: RunCopy): Promise<CopyComparison>;
  /**
   * Adds an unknown run to an existing conversation. A run that was working becomes interrupted, its approvals are
   * withdrawn, and only a person can resume it. A run that was waiting for a person still waits.
   */
  restoreRun(copy: RunCopy): Promise<void>;
  /**
   * For a migration of the whole profile: adds the run unchanged, with its approvals. Unlike `restoreRun`, it interrupts
   * nothing. A run that was working is stored as claimed by no live process, so the next server interrupts it.
   */
  migrateRun(copy: RunCopy): Promise<void>;
  hasGrant(id: string): Promise<boolean>;
  /** Adds the grant. An existing grant with this id stays. */
  restoreGrant(grant: Grant): Promise<void>;
}

const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const IDS_PER_READ = 500;
const EVENTS_PER_READ = 1_000;

/** Uses a profile's `state.db`, opened with `stateMigrations`. */
export function openRunCopies(database: Database, now: () => Date): RunCopies {
  const runs = runTables(database, now);
  const conversations = conversationTables(database, "refuse");
  const approvals = approvalTables(database);
  const inspection = inspectionTables(database);
  const conversationsAfter = database.query(
    "SELECT id FROM conversations WHERE id > ? ORDER BY id LIMIT ?",
    IdRow,
  );
  const runsAfter = database.query("SELECT id FROM runs WHERE id > ? ORDER BY id LIMIT ?", IdRow);
  const markClaimed = database.command("UPDATE runs SET claimed = 1 WHERE id = ?");
  const runExists = database.query("SELECT id FROM runs WHERE id = ?", IdRow);

  function* readEvents(id: string): Generator<RunEvent> {
    let page: readonly RunEvent[] = [];
    do {
      page = runs.events(id, page.at(-1)?.seq ?? 0, EVENTS_PER_READ);
      yield* page;
    } while (page.length > 0);
  }

  function exportRun(id: string): RunCopy {
    const { conversationId, createdAt } = runs.get(id);
    const feedback = inspection.feedback(id);
    return {
      id,
      conversationId,
      createdAt,
      request: runs.request(id),
      events: [...readEvents(id)],
      modelCalls: inspection.calls(id),
      ...(feedback && { feedback }),
    };
  }

  /** Adds a run with its events, approvals, model calls and feedback, and returns it. Requires a transaction. */
  function addRun(
    { id, conversationId, createdAt, events, modelCalls, feedback }: RunCopy,
    request: RunRequest,
  ) {
    const queued = runs.insert({ id, conversationId, createdAt, owner: null }, request);
    const run = runs.applyEvents(queued, events);
    for (const event of events) approvals.applyEvent(event, { grants: false });
    for (const call of modelCalls) inspection.addCall(id, call);
    if (feedback) inspection.setFeedback(id, feedback);
    conversations.linkMessagesToRun(id);
    return run;
  }

  return {
    conversationIds: () => iterateIds(conversationsAfter),
    async conversation(id) {
      return exportConversation(conversations.get(id), conversations.messages(id, -1));
    },
    runIds: () => iterateIds(runsAfter),
    run: async (id) => exportRun(id),
    grants: async () => approvals.grants(),

    hasConversation: async (id) => conversations.has(id),
    async compareConversation(copy) {
      if (!conversations.has(copy.id)) return { kind: "new" };
      const { title } = conversations.get(copy.id);
      if (title !== copy.title) return { kind: "conflict", reason: `its title here is “${title}”` };
      return compareMessages(copy, conversations.messages(copy.id, -1));
    },
    restoreConversation: async (copy, { retitle }) =>
      database.transaction(() => {
        conversations.restore(copy);
        if (retitle) conversations.rename(copy.id, copy.title);
      }),

    async compareRun(copy) {
      return runExists.get(copy.id) === undefined
        ? validateCopy(copy, new Set(approvalIds(copy).filter(approvals.has)))
        : compareEvents(copy, exportRun(copy.id));
    },
    restoreRun: async (copy) =>
      database.transaction(() => {
        const { restored: _restored, ...request } = copy.request;
        const run = addRun(copy, request);
        if (run.status === "ended") return;
        runs.setRequest(copy.id, { ...request, restored: true });
        approvals.withdrawAllowed(copy.id, isOpenIn(run));
        if (run.status === "queued" || run.status === "running")
          runs.append(run, [
            { type: "run-interrupted", reason: "It had not ended when the backup was made." },
          ]);
      }),
    migrateRun: async (copy) =>
      database.transaction(() => {
        if (addRun(copy, copy.request).status === "running") markClaimed.run(copy.id);
      }),
    hasGrant: async (id) => approvals.hasGrant(id),
    restoreGrant: async (grant) => database.transaction(() => void approvals.addGrant(grant)),
  };
}

async function* iterateIds(idsAfter: { all(...parameters: unknown[]): string[] }): AsyncGenerator<string> {
  let ids: readonly string[] = [];
  do {
    ids = idsAfter.all(ids.at(-1) ?? "", IDS_PER_READ);
    yield* ids;
  } while (ids.length > 0);
}

/** A conversation with its messages, as it is exported. */
export function exportConversation(
  { messageCount: _messageCount, ...conversation }: Conversation,
  messages: readonly Message[],
): ConversationCopy {
  return {
    ...conversation,
    messages: messages.map(({ conversationId: _conversationId, ...message }) => message),
  };
}

/** Compares a conversation with the stored messages, by their ids only. */
export function compareMessages(copy: ConversationCopy, stored: readonly Message[]): CopyComparison {
  const known = new Set(stored.map(({ id }) => id));
  const more = copy.messages.filter(({ id }) => !known.has(id)).length;
  return more === 0
    ? { kind: "same" }
    : { kind: "has-more-messages", reason: `it has ${formatCount(more, "message")} more than here` };
}

/** Compares a run with the stored run of the same id. They are the same if the stored run has all events of the copy. */
export function compareEvents(copy: RunCopy, stored: RunCopy): CopyComparison {
  const [shorter, longer] = [stored.events, copy.events].toSorted((a, b) => a.length - b.length);
  if (!isDeepStrictEqual(longer?.slice(0, shorter?.length), shorter))
    return { kind: "conflict", reason: "the run of this id here has other events" };
  const missing = copy.events.length - stored.events.length;
  return missing <= 0
    ? { kind: "same" }
    : { kind: "conflict", reason: `it has ${formatCount(missing, "event")} more than here` };
}

/** The ids of the approvals that a run requested. */
export function approvalIds({ events }: RunCopy): string[] {
  return events.flatMap((event) => (event.type === "approval-requested" ? [event.approval.id] : []));
}

/**
 * Checks that a copy, which may be forged, is consistent: its events belong to the run, are numbered without gaps, and
 * refer to no approvals of other runs. `taken` contains the ids of its approvals that this profile already has.
 */
export function validateCopy({ id, events }: RunCopy, taken: ReadonlySet<string>): CopyComparison {
  const asked = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.runId !== id || event.seq !== index + 1 || event.type === "answer-delta")
      return { kind: "invalid", reason: "its events are incomplete, or belong to another run" };
    if (event.type === "approval-requested") {
      const { approval } = event;
      if (approval.runId !== id || asked.has(approval.id) || taken.has(approval.id))
        return { kind: "invalid", reason: "an approval occurs twice, or belongs to another run" };
      asked.add(approval.id);
    }
    if (event.type === "approval-resolved" && !asked.has(event.approvalId))
      return { kind: "invalid", reason: "it contains a decision about an approval that was never requested" };
  }
  return { kind: "new" };
}

/** Returns a test for approvals whose call may still be executed: it has not been, or it is approved for the whole run. */
export function isOpenIn({ scratchpad }: Run): (approval: Approval) => boolean {
  return ({ decision, step }) =>
    decision === "run" || scratchpad.find((entry) => entry.step === step)?.observation === undefined;
}
