import type { Run } from "@metahuman/core/contract/run";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { RunStoreOptions } from "@metahuman/core/runs/open-run-store";
import { nextToClaim } from "@metahuman/core/runs/run-tables";
import {
  RunLostError,
  type ClaimMethods,
  type ConversationMethods,
  type Committed,
  type RunClaim,
  type RunRequest,
  type RunStore,
  type StoredEventBody,
} from "@metahuman/core/runs/run-store";
import { ulid } from "@metahuman/core/text/ulid";
import type { ChangeHints } from "../change-hints.ts";
import { openLeases } from "../lease-table.ts";
import type { Postgres } from "../open-postgres.ts";
import type { FollowedProfile } from "../profile-poll.ts";
import type { ProfileSession } from "../session.ts";
import { openAnswerParts } from "./answer-parts.ts";
import { approvalTables } from "./approval-tables.ts";
import { conversationTables } from "./conversation-tables.ts";
import { inspectionTables } from "./inspection-tables.ts";
import { createKnownQueue, type RunHolder, runClaims } from "./run-claims.ts";
import { listLatest, listRuns, listUnfinishedRuns } from "./run-list.ts";
import { linkOccurrence, runTables } from "./run-tables.ts";
import { readWatchedRuns } from "./watched-runs.ts";

/**
 * Opens the run store of a profile in the database. Any number of processes may use it at once: a row lock on the run
 * orders their writes, and each write checks the number of its claim. The clock of the database decides about leases
 * and the times of events.
 */
export function openPostgresRunStore(
  database: Postgres,
  profile: string,
  { unknownConversations = "refuse", hints, followed }: PostgresRunStoreOptions = {},
): RunStore {
  const parts = openParts(database, profile, hints);
  const { leases, claims, runs, inspection, answers, requests, read, readAtOnce, write } = parts;
  const { currentRun, externalVersion } = parts;

  return {
    holder: leases.holder,
    relay: {
      receivesHints: () => hints?.isListening() ?? false,
      commits: () => followed?.found()?.commits,
      onHint: (listener) => hints?.listen(profile, listener) ?? (() => undefined),
      saveAnswerPart: answers.add,
      changes: (watched) => readAtOnce((session) => readWatchedRuns(session, leases.holder, watched)),
    },

    create: (asked) => createRun(parts, asked, unknownConversations),
    hasRun: async (runId) => (currentRun(runId) ?? (await readRun(parts, runId))) !== undefined,
    async run(runId) {
      const run = currentRun(runId) ?? (await readRun(parts, runId));
      if (!run) throw new NotFoundError("There is no such run.");
      return run;
    },
    request: async (runId) => {
      const known = requests.get(runId) ?? (await readAtOnce((session) => runs.request(session, runId)));
      // Nobody else changes the request of a run that this process has claimed.
      if (requests.has(runId)) requests.set(runId, known);
      return known;
    },
    runs: (query) => read((session) => listRuns(session, query)),
    unfinishedRuns: (limit) => read((session) => listUnfinishedRuns(session, limit)),
    latest: (limit) => read((session) => listLatest(session, limit)),
    events: (runId, from, limit) => readAtOnce((session) => runs.events(session, runId, from, limit)),
    actionStarted: (runId, step) => readAtOnce((session) => runs.actionStarted(session, runId, step)),
    externalVersion: async () =>
      externalVersion() ?? (await readAtOnce((session) => leases.externalCommits(session))),

    async recordModelCall(claim, call) {
      const cacheCall = await write(async (session) => {
        await lockNewestClaim(parts, session, claim);
        return inspection.addCall(session, claim.runId, call);
      });
      cacheCall();
    },
    modelCalls: (runId) => read((session) => inspection.calls(session, runId)),
    giveFeedback: (runId, feedback) =>
      write(async (session) => {
        await runs.get(session, runId);
        await inspection.setFeedback(session, runId, feedback);
      }),
    feedback: (runId) => read((session) => inspection.feedback(session, runId)),

    ...writeMethods(parts),
    ...claimMethods(parts),
    ...conversationMethods(parts),
    ...approvalMethods(parts),

    async close() {
      await answers.close();
      await write(async (session) => {
        await claims.releaseQueued(session);
        await leases.release(session);
      });
    },
  };
}

export interface PostgresRunStoreOptions extends Pick<RunStoreOptions, "unknownConversations"> {
  /** Where commits are announced. */
  hints?: ChangeHints;
  /** What the shared poll finds of the profile. */
  followed?: Pick<FollowedProfile, "found">;
}

type Parts = ReturnType<typeof openParts>;

function openParts(database: Postgres, profile: string, hints: ChangeHints | undefined) {
  const leases = openLeases();
  const runs = runTables();
  /** How many writes of this process have begun and ended: what is read while this stays the same lacks none of them. */
  const ownWrites = { moments: 0 };
  /**
   * A transaction that other processes notice. `committed` receives its result and how often others had committed by
   * its end: a run that it has locked and changed is cached.
   */
  const write = async <Result>(
    work: (session: ProfileSession) => Promise<Result>,
    committed: (result: Result, externalVersion: number | undefined) => void = () => undefined,
  ): Promise<Result> => {
    ownWrites.moments += 1;
    const { session, result } = await database
      .inProfile(profile, async (opened) => {
        const done = await work(opened);
        leases.countCommit(opened);
        return { session: opened, result: done };
      })
      .finally(() => (ownWrites.moments += 1));
    committed(result, session.ended && leases.externalCommitsIn(session.ended));
    hints?.announce(profile);
    return result;
  };
  /** How often others have committed, if the cache has it. */
  const externalVersion = (): number | undefined => {
    const heads = database.heads(profile);
    return heads && leases.externalCommitsIn(heads);
  };
  return {
    database,
    leases,
    ownWrites,
    externalVersion,
    /** The cached run, if it is certainly the current one. */
    currentRun(id: string): Run | undefined {
      const version = externalVersion();
      return version === undefined ? undefined : runs.current(id, version);
    },
    /** The requests of the runs that this process has claimed; undefined before they are read. */
    requests: new Map<string, RunRequest | undefined>(),
    queue: createKnownQueue(externalVersion),
    cacheRun: (committed: Committed | undefined, version: number | undefined): void => {
      if (committed) runs.cacheRun(committed.run, version);
    },
    answers: openAnswerParts({ holder: leases.holder, write }),
    claims: runClaims(leases.holder),
    runs,
    inspection: inspectionTables(),
    read: <Result>(work: (session: ProfileSession) => Promise<Result>): Promise<Result> =>
      database.inProfile(profile, work),
    /** A read with one statement. */
    readAtOnce: <Result>(work: (session: ProfileSession) => Promise<Result>): Promise<Result> =>
      database.readProfile(profile, work),
    write,
  };
}

/** Reads a run and caches it, so that the next read at the same moment needs no transaction. */
async function readRun({ ownWrites, leases, runs, readAtOnce }: Parts, id: string): Promise<Run | undefined> {
  const { moments } = ownWrites;
  const found = await readAtOnce((session) => runs.find(session, id, leases.holder));
  if (found && ownWrites.moments === moments) runs.cacheRun(found.run, found.version);
  return found?.run;
}

/** Queues a run with the message of the person. */
async function createRun(
  { leases, runs, queue, write }: Parts,
  asked: RunRequest,
  unknown: "refuse" | "make",
): Promise<Run> {
  const created = await write(
    async (session) => {
      await leases.renew(session);
      const at = session.now.toISOString();
      const { goal, conversationId: id } = asked.request;
      const conversationId = await conversationTables.open(session, { id, goal, at, unknown });
      const runId = `run-${ulid()}`;
      const known = { id: runId, conversationId, createdAt: at, owner: leases.holder };
      const run = await runs.insert(session, known, asked);
      const message = { conversationId, runId, role: "person", text: goal, at } as const;
      await conversationTables.addMessage(session, message);
      if (asked.occurrence) await linkOccurrence(session, runId, asked.occurrence);
      return run;
    },
    (run, foreign) => runs.cacheRun(run, foreign),
  );
  queue.expect();
  return created;
}

/** Locks the run. Throws `RunLostError` unless this is its newest claim. */
async function lockNewestClaim(
  { claims }: Parts,
  session: ProfileSession,
  { runId, fence }: RunClaim,
): Promise<RunHolder> {
  const holder = await claims.lock(session, runId);
  if (holder?.fence !== fence) throw new RunLostError(runId);
  return holder;
}

/** Locks the run. Throws `RunLostError` unless this is its newest claim, it belongs to this holder, and the run is in progress. */
async function lockOwnClaim(parts: Parts, session: ProfileSession, claim: RunClaim): Promise<void> {
  const { claimed, owner } = await lockNewestClaim(parts, session, claim);
  if (!claimed || owner !== parts.leases.holder) throw new RunLostError(claim.runId);
}

/** Writes events of a locked run with what follows from them. */
async function writeEvents(
  { runs }: Parts,
  session: ProfileSession,
  before: Run,
  bodies: readonly StoredEventBody[],
): Promise<Committed> {
  const committed = await runs.append(session, before, bodies);
  for (const event of committed.events) {
    await approvalTables.applyEvent(session, event);
    if (event.type === "answer-completed") {
      const { conversationId, id: runId } = before;
      const { text, at } = event;
      await conversationTables.addMessage(session, { conversationId, runId, role: "operator", text, at });
    }
  }
  return committed;
}

/** Takes a locked run from a holder whose lease has expired. */
async function releaseExpiredClaim(
  parts: Parts,
  session: ProfileSession,
  { id, status }: RunHolder,
): Promise<Committed | undefined> {
  await parts.claims.revoke(session, id);
  // A claimed run that has not started only returns to the queue.
  if (status !== "running") return undefined;
  return writeEvents(parts, session, await parts.runs.get(session, id), [
    { type: "run-interrupted", reason: "The process that executed it has ended." },
  ]);
}

/** After these events, the text of an answer is complete or given up. */
const ENDS_ANSWER: ReadonlySet<StoredEventBody["type"]> = new Set<StoredEventBody["type"]>([
  "answer-completed",
  "run-interrupted",
  "run-ended",
]);

function writeMethods(parts: Parts): Pick<RunStore, "append" | "confirmClaim" | "idleRun" | "commitIdle"> {
  const { leases, claims, runs, answers, requests, queue, read, readAtOnce, write, cacheRun } = parts;
  return {
    async append(claim, bodies) {
      // A part that is stored later would seem to belong to another answer.
      if (bodies.some(({ type }) => ENDS_ANSWER.has(type))) await answers.end(claim.runId);
      const { runId } = claim;
      const written = await write(async (session) => {
        // Sent together: the run is read after it was locked.
        const [, before] = await Promise.all([lockOwnClaim(parts, session, claim), runs.get(session, runId)]);
        const committed = await writeEvents(parts, session, before, bodies);
        if (committed.run.status !== "running") await claims.finish(session, runId);
        return committed;
      }, cacheRun);
      if (written.run.status !== "running") requests.delete(runId);
      return written;
    },
    confirmClaim: (claim) => readAtOnce((session) => lockOwnClaim(parts, session, claim)),
    async idleRun(runId) {
      const unclaimed = await read(async (session): Promise<Committed | undefined> => {
        if ((await claims.of(session, runId))?.claimed) return undefined;
        return { events: [], run: await runs.get(session, runId) };
      });
      if (unclaimed) return unclaimed;
      const idle = await write(async (session): Promise<Committed | undefined> => {
        const holder = await claims.lock(session, runId);
        if (holder?.claimed && holder.owner !== null && (await leases.live(session)).has(holder.owner))
          return undefined;
        const taken = holder?.claimed ? await releaseExpiredClaim(parts, session, holder) : undefined;
        return taken ?? { events: [], run: await runs.get(session, runId) };
      }, cacheRun);
      queue.noteEmpty(undefined);
      return idle;
    },
    async commitIdle(runId, { after, bodies, identity }) {
      const committed = await write(async (session) => {
        const holder = await claims.lock(session, runId);
        if (!holder) throw new NotFoundError("There is no such run.");
        const before = await runs.get(session, runId);
        if (holder.claimed || before.lastSeq !== after) return undefined;
        await leases.renew(session);
        if (identity)
          await runs.setRequest(session, runId, { ...(await runs.request(session, runId)), identity });
        const written = await writeEvents(parts, session, before, bodies);
        if (written.run.status === "queued") await claims.enqueue(session, runId);
        else await claims.finish(session, runId);
        return written;
      }, cacheRun);
      requests.delete(runId);
      if (committed?.run.status === "queued") queue.expect();
      return committed;
    },
  };
}

/** Whether a run is queued. If none is, the queue stays known as empty until another process commits. */
async function mayHoldQueued({ claims, ownWrites, queue, readAtOnce }: Parts): Promise<boolean> {
  const { moments } = ownWrites;
  const { runs, version } = await readAtOnce((session) => claims.claimedAndQueuedNow(session));
  const isEmpty = runs.every((run) => run.claimed);
  if (isEmpty && ownWrites.moments === moments) queue.noteEmpty(version);
  return !isEmpty;
}

function claimMethods(parts: Parts): ClaimMethods {
  const { database, leases, claims, runs, requests, queue, read, readAtOnce, write } = parts;
  /** The claimed runs of holders whose lease has expired. */
  const lostHolders = async (session: ProfileSession): Promise<RunHolder[]> => {
    const claimed = (await claims.claimedAndQueued(session)).filter((run) => run.claimed);
    if (claimed.length === 0) return [];
    const live = await leases.live(session);
    return claimed.filter(({ owner }) => owner === null || !live.has(owner));
  };

  return {
    async claim(options) {
      if (queue.isEmpty()) return undefined;
      // Usually no run is queued; that case must not write.
      if (!queue.takeExpected() && !(await mayHoldQueued(parts))) return undefined;
      const { claimed, emptyAt } = await write(
        async (session) => {
          // Sent together and carried out in this order: what others commit after their commits were counted is noticed.
          const [, , foreign, unlocked, claimedAndQueued, live] = await Promise.all([
            claims.lockQueue(session),
            leases.renew(session),
            leases.externalCommits(session),
            claims.lockQueued(session),
            claims.claimedAndQueued(session),
            leases.live(session),
          ]);
          const free = new Set(unlocked);
          const next = nextToClaim(
            claimedAndQueued.filter((run) => run.claimed || free.has(run.id)),
            { ...options, live, holder: leases.holder },
          );
          const isEmpty = claimedAndQueued.every((run) => run.claimed || run.id === next?.id);
          if (!next) return { claimed: undefined, emptyAt: isEmpty ? foreign : undefined };
          const fence = await claims.claim(session, next.id);
          const claim = { runId: next.id, fence };
          return {
            claimed: { run: await runs.get(session, next.id), claim },
            emptyAt: isEmpty ? foreign : undefined,
          };
        },
        (result, foreign) => {
          if (result.claimed) runs.cacheRun(result.claimed.run, foreign);
        },
      );
      queue.noteEmpty(emptyAt);
      if (claimed) requests.set(claimed.run.id, undefined);
      return claimed;
    },
    releaseQueued: async () => void (await write((session) => claims.releaseQueued(session))),
    requestCancel: async (runId) => void (await write((session) => claims.requestCancel(session, runId))),
    cancelRequests: () => readAtOnce((session) => claims.cancelRequests(session)),
    hasQueuedRuns: async () =>
      !queue.isEmpty() &&
      (await readAtOnce((session) => claims.ofThisHolder(session))).some((run) => !run.claimed),
    renewLease: () =>
      read(async (session) => {
        if ((await claims.ofThisHolder(session)).length > 0) await leases.renew(session);
      }),
    async interruptLost() {
      // Usually no run is lost; that case takes one statement.
      const time = database.clock().getTime();
      if ((await readAtOnce((session) => claims.lost(session, time))).length === 0) return [];
      const interrupted = await write(async (session) => {
        const taken: Committed[] = [];
        for (const { id } of await lostHolders(session)) {
          const holder = await claims.lock(session, id);
          // Another process may have taken it while this one waited for the lock.
          const isLost =
            holder?.claimed && !(holder.owner !== null && (await leases.live(session)).has(holder.owner));
          const committed = isLost ? await releaseExpiredClaim(parts, session, holder) : undefined;
          if (committed) taken.push(committed);
        }
        return taken;
      });
      for (const { run } of interrupted) runs.cacheRun(run);
      // A run that had not started returns to the queue.
      queue.noteEmpty(undefined);
      return interrupted;
    },
  };
}

function conversationMethods({ runs, read, write }: Parts): ConversationMethods {
  return {
    hasConversation: (id) => read((session) => conversationTables.has(session, id)),
    conversation: (id) => read((session) => conversationTables.get(session, id)),
    conversations: (query) => read((session) => conversationTables.list(session, query)),
    messages: (conversationId, options) =>
      read(async (session) => {
        const { id } = await conversationTables.get(session, conversationId);
        return conversationTables.messages(session, id, options);
      }),
    turns: (conversationId, options) =>
      read(async (session) => {
        const { id } = await conversationTables.get(session, conversationId);
        return conversationTables.turns(session, id, options);
      }),
    saveSummary: async (conversationId, { text, through }) =>
      void (await write((session) => conversationTables.summarize(session, conversationId, text, through))),
    renameConversation: (id, title) => write((session) => conversationTables.rename(session, id, title)),
    replaceTitle: (id, titles) => write((session) => conversationTables.replaceTitle(session, id, titles)),
    pinConversation: (id, pinned) => write((session) => conversationTables.pin(session, id, pinned)),
    async removeConversation(id) {
      await write((session) => conversationTables.remove(session, id));
      runs.forget();
    },
  };
}

function approvalMethods({
  read,
  readAtOnce,
  write,
}: Parts): Pick<RunStore, "approval" | "approvals" | "approvalsOf" | "grants" | "revokeGrant"> {
  return {
    approval: (id) => read((session) => approvalTables.get(session, id)),
    approvals: (query) => read((session) => approvalTables.list(session, query)),
    approvalsOf: (runId) => read((session) => approvalTables.ofRun(session, runId)),
    grants: () => readAtOnce((session) => approvalTables.grants(session)),
    revokeGrant: (id) => write((session) => approvalTables.revokeGrant(session, id)),
  };
}
