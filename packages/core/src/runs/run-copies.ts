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

/** Exports and restores the conversations, runs and standing permissions of a profile. Restoring never overwrites. */
export interface RunCopies {
  /** Iterates over all ids, including conversations added meanwhile. */
  conversationIds(): AsyncIterable<string>;
  /** Throws `NotFoundError`. */
  conversation(id: string): Promise<ConversationCopy>;
  runIds(): AsyncIterable<string>;
  /** Throws `NotFoundError`. */
  run(id: string): Promise<RunCopy>;
  /** Newest first. */
  grants(): Promise<Grant[]>;

  compareConversation(copy: ConversationCopy): Promise<CopyComparison>;
  /** Adds the conversation or its missing messages, and its title with `retitle`. */
  restoreConversation(copy: ConversationCopy, options: { retitle: boolean }): Promise<void>;
  hasConversation(id: string): Promise<boolean>;
  compareRun(copy: RunCopy): Promise<CopyComparison>;
  /**
   * Adds an unknown run to an existing conversation. A run that was working becomes interrupted, its permissions are
   * withdrawn, and only a person can resume it; a run that waited still waits.
   */
  restoreRun(copy: RunCopy): Promise<void>;
  /**
   * Adds a run of a profile that moves as a whole, in the state in which it is. One that was working counts as left by a
   * process that has ended.
   */
  moveRun(copy: RunCopy): Promise<void>;
  hasGrant(id: string): Promise<boolean>;
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
  const leaveClaimed = database.command("UPDATE runs SET claimed = 1 WHERE id = ?");
  const knownRun = database.query("SELECT id FROM runs WHERE id = ?", IdRow);

  function* eventsOf(id: string): Generator<RunEvent> {
    for (let from = 0; ;) {
      const page = runs.events(id, from, EVENTS_PER_READ);
      yield* page;
      const last = page.at(-1);
      if (!last) return;
      from = last.seq;
    }
  }

  function copyOf(id: string): RunCopy {
    const { conversationId, createdAt } = runs.get(id);
    const feedback = inspection.feedback(id);
    return {
      id,
      conversationId,
      createdAt,
      request: runs.request(id),
      events: [...eventsOf(id)],
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
    const run = runs.replay(queued, events);
    for (const event of events) approvals.follow(event, { grants: false });
    for (const call of modelCalls) inspection.addCall(id, call);
    if (feedback) inspection.setFeedback(id, feedback);
    conversations.adoptMessages(id);
    return run;
  }

  return {
    conversationIds: () => paged(conversationsAfter),
    async conversation(id) {
      return conversationCopy(conversations.get(id), conversations.messages(id, -1));
    },
    runIds: () => paged(runsAfter),
    run: async (id) => copyOf(id),
    grants: async () => approvals.grants(),

    hasConversation: async (id) => conversations.has(id),
    async compareConversation(copy) {
      if (!conversations.has(copy.id)) return { is: "new" };
      const here = conversations.get(copy.id);
      if (here.title !== copy.title) return { is: "differs", reason: `it is called “${here.title}” here` };
      return compareMessages(copy, conversations.messages(copy.id, -1));
    },
    restoreConversation: async (copy, { retitle }) =>
      database.transaction(() => {
        conversations.restore(copy);
        if (retitle) conversations.rename(copy.id, copy.title);
      }),

    async compareRun(copy) {
      return knownRun.get(copy.id) === undefined
        ? validateCopy(copy, new Set(approvalIds(copy).filter(approvals.has)))
        : compareEvents(copy, copyOf(copy.id));
    },
    restoreRun: async (copy) =>
      database.transaction(() => {
        const { restored: _before, ...request } = copy.request;
        const run = addRun(copy, request);
        if (run.status === "ended") return;
        runs.setRequest(copy.id, { ...request, restored: true });
        approvals.withdrawAllowed(copy.id, isOpenIn(run));
        if (run.status === "queued" || run.status === "running")
          runs.append(run, [
            { type: "run-interrupted", reason: "It had not ended when the backup was made." },
          ]);
      }),
    moveRun: async (copy) =>
      database.transaction(() => {
        if (addRun(copy, copy.request).status === "running") leaveClaimed.run(copy.id);
      }),
    hasGrant: async (id) => approvals.hasGrant(id),
    restoreGrant: async (grant) => database.transaction(() => void approvals.addGrant(grant)),
  };
}

async function* paged(after: { all(...parameters: unknown[]): string[] }): AsyncGenerator<string> {
  for (let last = ""; ;) {
    const ids = after.all(last, IDS_PER_READ);
    yield* ids;
    const end = ids.at(-1);
    if (end === undefined) return;
    last = end;
  }
}

/** A conversation with its messages, as it is exported. */
export function conversationCopy(
  { messageCount: _counted, ...conversation }: Conversation,
  messages: readonly Message[],
): ConversationCopy {
  return { ...conversation, messages: messages.map(({ conversationId: _same, ...message }) => message) };
}

/** Compares the messages of a conversation with those that are here. */
export function compareMessages(copy: ConversationCopy, here: readonly Message[]): CopyComparison {
  const known = new Set(here.map(({ id }) => id));
  const more = copy.messages.filter(({ id }) => !known.has(id)).length;
  return more === 0 ? { is: "known" } : { is: "more", reason: `${more} more messages` };
}

/** Compares a run with the one that has its id here. A run that continued here has all events of the copy and more. */
export function compareEvents(copy: RunCopy, here: RunCopy): CopyComparison {
  const [shorter, longer] = [here.events, copy.events].toSorted((a, b) => a.length - b.length);
  if (!isDeepStrictEqual(longer?.slice(0, shorter?.length), shorter))
    return { is: "differs", reason: "another run has this id here" };
  const missing = copy.events.length - here.events.length;
  return missing <= 0
    ? { is: "known" }
    : { is: "differs", reason: `it has ${formatCount(missing, "event")} more than here` };
}

/** The ids of the approvals that a run requested. */
export function approvalIds({ events }: RunCopy): string[] {
  return events.flatMap((event) => (event.type === "approval-requested" ? [event.approval.id] : []));
}

/**
 * Checks that a copy, which may be forged, is consistent: its events belong to the run, are numbered without gaps, and
 * refer to no approvals of other runs. `taken` are those of its approvals that exist here.
 */
export function validateCopy({ id, events }: RunCopy, taken: ReadonlySet<string>): CopyComparison {
  const asked = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.runId !== id || event.seq !== index + 1 || event.type === "answer-delta")
      return { is: "unusable", reason: "its events are incomplete, or belong to another run" };
    if (event.type === "approval-requested") {
      const { approval } = event;
      if (approval.runId !== id || asked.has(approval.id) || taken.has(approval.id))
        return { is: "unusable", reason: "it names an approval of another run" };
      asked.add(approval.id);
    }
    if (event.type === "approval-resolved" && !asked.has(event.approvalId))
      return { is: "unusable", reason: "it contains a decision about an approval that was never requested" };
  }
  return { is: "new" };
}

/** Whether an approved call may still run: it is approved for the whole run, or has not run yet. */
export function isOpenIn({ scratchpad }: Run): (approval: Approval) => boolean {
  return ({ decision, step }) =>
    decision === "run" || scratchpad.find((entry) => entry.step === step)?.observation === undefined;
}
