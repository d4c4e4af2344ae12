import type { Occurrence, Schedule, SchedulesConfig } from "@metahuman/core/contract/schedule";
import type { Task } from "@metahuman/core/contract/task";
import { RENEW_EVERY_MS } from "@metahuman/core/database/lease-table";
import { NotFoundError, TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { NewNotice, NoticePort } from "@metahuman/core/notices/notice-port";
import { synchronizeMoment, timingOf } from "@metahuman/core/schedules/create-schedules";
import { dueMoments } from "@metahuman/core/schedules/due-moments";
import { localDay } from "@metahuman/core/schedules/next-moment";
import type {
  Advance,
  AttemptClaim,
  OccurrenceKey,
  OccurrenceLedger,
  StoredMoment,
} from "@metahuman/core/schedules/occurrence-ledger";
import type { ScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import { type AttemptResult, runOccurrence, type OccurrenceRunnerOptions } from "./run-occurrence.ts";
import {
  failedNotice,
  missedNotice,
  pausedNotice,
  reminderNotice,
  succeededNotice,
  waitingNotice,
} from "./schedule-notices.ts";

/** The longest time between two looks at what is due, so that a changed clock or a sleep is noticed. Milliseconds. */
const MAX_WAIT_MS = 30_000;
/** How soon the next look follows while something due cannot start yet. Milliseconds. */
const BLOCKED_WAIT_MS = 1_000;
/** How many schedules are decided in one transaction. */
const BATCH = 200;
const MAX_FAILURES = 3;
const KEPT_DAYS = 400;
const DAY_MS = 86_400_000;
const CLOSED_TASKS: ReadonlySet<Task["status"]> = new Set(["done", "cancelled"]);

export interface SchedulerOptions extends Omit<
  OccurrenceRunnerOptions,
  "onWaiting" | "conversationOf" | "onConversation"
> {
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  schedules: Pick<SchedulesPort, "pause">;
  notices: NoticePort;
  /** Throws `TaskNotFoundError` for a task that was deleted. */
  taskStatus(id: string): Promise<Task["status"]>;
  hasConversation(id: string): Promise<boolean>;
  config: () => SchedulesConfig;
  /** Told of what nobody is waiting for. */
  onProblem: (message: string, cause: unknown) => void;
  /** Called when the time of the next occurrence has changed; null when nothing is scheduled. */
  onNextChanged(next: string | null): void;
  /** Called when an occurrence has changed. */
  onChange(): void;
  /** Whether what is due starts by itself here: true for a process that stays. */
  keepsTime: boolean;
}

/** Starts what is due of one profile, at most `maxConcurrent` occurrences at a time. */
export interface Scheduler {
  /** Looks at what is due and starts it; resolves when it has started. Called by itself when `keepsTime`. */
  tick(): Promise<void>;
  /** Looks again soon, because a schedule has changed. */
  notify(): void;
  /** Carries out an occurrence that is due, and resolves to it when it has ended or runs in another process. */
  execute(key: OccurrenceKey): Promise<Occurrence | undefined>;
  /** Resolves when no occurrence is being carried out here. */
  idle(): Promise<void>;
  /** Starts nothing more. Occurrences that run are taken over by another process or by the next start. */
  close(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { records, ledger, notices, clock, onProblem } = options;
  const active = new Map<string, Promise<void>>();
  /** Keys of active occurrences that wait for a person and take up no room. */
  const waiting = new Set<string>();
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let isBlocked = false;
  let isSynchronized = false;
  let toldNext: string | null | undefined;
  let prunedOn = "";

  const runner: OccurrenceRunnerOptions = {
    ...options,
    async conversationOf(scheduleId) {
      const id = (await ledger.moment(scheduleId))?.conversationId ?? undefined;
      return id !== undefined && (await options.hasConversation(id)) ? id : undefined;
    },
    onConversation: (scheduleId, conversationId) => ledger.setConversation(scheduleId, conversationId),
    async onWaiting(schedule, occurrence, run) {
      waiting.add(keyOf(occurrence));
      await notices.send([waitingNotice(schedule, occurrence, run, clock())]);
    },
  };

  /** Finds schedules that were written by hand, restored or left half changed by a crash. */
  async function synchronizeAll(): Promise<void> {
    if (isSynchronized) return;
    const known = new Map((await ledger.moments()).map(({ scheduleId, timing }) => [scheduleId, timing]));
    for (const schedule of await records.list())
      if (known.get(schedule.id) !== timingOf(schedule)) await synchronizeMoment(schedule, ledger, clock());
    isSynchronized = true;
  }

  async function look(): Promise<void> {
    await synchronizeAll();
    for (const lost of await ledger.takeOver()) carryOut(lost, { ...lost });
    await advanceAll(await synchronized(clock()));
    await startDue(clock());
    await pruneDaily(clock());
    await arm();
  }

  /** Stored moments that have come; those of changed schedules are computed anew, those of deleted ones are removed. */
  async function synchronized(now: Date): Promise<{ stored: StoredMoment; schedule: Schedule }[]> {
    const found: { stored: StoredMoment; schedule: Schedule }[] = [];
    for (const stored of await ledger.dueSchedules(now)) {
      const schedule = await recordOf(stored.scheduleId);
      if (schedule === undefined)
        await ledger.forget(stored.scheduleId, "The schedule was deleted before it started.");
      else if (schedule !== "unreadable") {
        if (stored.timing === timingOf(schedule)) found.push({ stored, schedule });
        else await synchronizeMoment(schedule, ledger, now);
      }
    }
    return found;
  }

  async function recordOf(id: string): Promise<Schedule | "unreadable" | undefined> {
    try {
      return await records.get(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      onProblem("a schedule could not be read", error);
      return "unreadable";
    }
  }

  async function advanceAll(due: readonly { stored: StoredMoment; schedule: Schedule }[]): Promise<void> {
    for (let from = 0; from < due.length; from += BATCH) {
      const told: NewNotice[] = [];
      const advances: Advance[] = [];
      for (const { stored, schedule } of due.slice(from, from + BATCH)) {
        const next = stored.next;
        if (next === null) continue;
        const first = { at: new Date(next), ...(stored.note !== null && { note: stored.note }) };
        const decided = dueMoments(schedule, first, clock());
        const missed = missedNotice(schedule, decided.rows, clock());
        if (missed) told.push(missed);
        advances.push({
          scheduleId: schedule.id,
          expected: { timing: stored.timing, next },
          rows: decided.rows,
          next: decided.next?.at.toISOString() ?? null,
          note: decided.next?.note ?? null,
          jitterMs: jitterOf(schedule.id, next, options.config().jitterSeconds),
        });
      }
      // Told first: a process that ends in between tells it again, and the key keeps it from being sent twice.
      await notices.send(told);
      if ((await ledger.advance(advances)).length > 0) options.onChange();
    }
    // A long absence is recorded in parts.
    const now = clock();
    if (due.some(({ stored }) => stored.next !== null) && (await ledger.dueSchedules(now)).length > 0)
      await advanceAll(await synchronized(now));
  }

  async function startDue(now: Date): Promise<void> {
    isBlocked = false;
    const reminders: { occurrence: Occurrence; schedule: Schedule }[] = [];
    const mode = await options.mode();
    for (const occurrence of await ledger.due(now)) {
      if (closing.signal.aborted) return;
      const schedule = await recordOf(occurrence.scheduleId);
      if (schedule === "unreadable") continue;
      if (schedule === undefined) await skip(occurrence, "The schedule was deleted before it started.");
      else if (mode === "emulation")
        await skip(occurrence, "Nothing acts while the profile is in emulation.");
      else if (schedule.what.kind !== "reminder") await startRun(schedule, occurrence);
      else if (await isTaskClosed(schedule)) await endReminder(schedule, occurrence);
      else reminders.push({ occurrence, schedule });
    }
    if (reminders.length === 0) return;
    await notices.send(
      reminders.map(({ schedule, occurrence }) => reminderNotice(schedule, occurrence, now)),
    );
    await ledger.complete(
      reminders.map(({ occurrence }) => occurrence),
      "reminded",
    );
    options.onChange();
  }

  async function skip(occurrence: Occurrence, reason: string): Promise<void> {
    await ledger.skip(occurrence, reason);
    options.onChange();
  }

  async function isTaskClosed({ what }: Schedule): Promise<boolean> {
    if (what.kind !== "reminder" || what.taskId === undefined) return false;
    try {
      return CLOSED_TASKS.has(await options.taskStatus(what.taskId));
    } catch (error) {
      if (error instanceof TaskNotFoundError) return true;
      throw error;
    }
  }

  async function endReminder(schedule: Schedule, occurrence: Occurrence): Promise<void> {
    const reason = "Its task is finished or deleted.";
    await skip(occurrence, reason);
    await options.schedules.pause(schedule.id, reason);
  }

  /** Starts a due occurrence if there is room, or skips it by the rules of its schedule. */
  async function startRun(schedule: Schedule, occurrence: Occurrence): Promise<void> {
    const running = (await ledger.running()).filter(({ scheduleId }) => scheduleId === schedule.id);
    if (running.length > 0) {
      if (schedule.overlap === "skip") await skip(occurrence, "An earlier occurrence was still running.");
      else isBlocked = true;
      return;
    }
    if (active.size - waiting.size >= options.config().maxConcurrent) {
      isBlocked = true;
      return;
    }
    const exceeded = await exceededBudget(schedule);
    if (exceeded !== undefined) {
      await skip(occurrence, exceeded);
      return pauseFor(schedule, occurrence, exceeded);
    }
    const claim = await ledger.claim(occurrence);
    if (claim) carryOut({ ...occurrence, attempt: claim.attempt }, claim);
  }

  async function exceededBudget({ id, budget, timeZone }: Schedule): Promise<string | undefined> {
    if (!budget) return undefined;
    const now = clock();
    const since = startOfDay(now, timeZone);
    const used = await ledger.usage(id, since.toISOString());
    if (budget.modelCalls !== undefined && used.modelCalls >= budget.modelCalls)
      return `It has used its ${budget.modelCalls} model calls of the day.`;
    if (budget.tokens !== undefined && used.tokens >= budget.tokens)
      return `It has used its ${budget.tokens} tokens of the day.`;
    return undefined;
  }

  function carryOut(occurrence: Occurrence, claim: AttemptClaim): void {
    const key = keyOf(occurrence);
    const work = attempt(occurrence, claim)
      .catch((error: unknown) => onProblem("an occurrence of a schedule could not be carried out", error))
      .finally(() => {
        active.delete(key);
        waiting.delete(key);
        notify();
      });
    active.set(key, work);
    options.onChange();
  }

  async function attempt(occurrence: Occurrence, claim: AttemptClaim): Promise<void> {
    const schedule = await recordOf(occurrence.scheduleId);
    if (schedule === "unreadable") throw new TypeError("the schedule of a running occurrence cannot be read");
    if (schedule === undefined) {
      await ledger.end(claim, { state: "skipped", reason: "The schedule was deleted while it ran." });
      return;
    }
    const result = await runOccurrence(schedule, occurrence, runner, closing.signal);
    if (!result || closing.signal.aborted) return;
    await endAttempt(schedule, occurrence, claim, result);
  }

  async function endAttempt(
    schedule: Schedule,
    occurrence: Occurrence,
    claim: AttemptClaim,
    result: AttemptResult,
  ): Promise<void> {
    const { isTransient = false, text = "", ...end } = result;
    const runId = (await ledger.occurrence(occurrence))?.runId;
    const ended = { ...occurrence, ...(runId !== undefined && { runId }) };
    const delay = options.config().retryAfterSeconds[claim.attempt - 1];
    const now = clock();
    if (end.state === "failed" && isTransient && delay !== undefined) {
      const retryAt = new Date(now.getTime() + delay * 1_000).toISOString();
      await ledger.end(claim, { ...end, state: "retry", retryAt });
      options.onChange();
      return;
    }
    const { reason = "It ended without a result." } = end;
    if (end.state === "succeeded") await notices.send([succeededNotice(schedule, ended, text, now)]);
    else if (end.state !== "retry")
      await notices.send([failedNotice(schedule, ended, { state: end.state, reason }, now)]);
    if (!(await ledger.end(claim, end))) return;
    options.onChange();
    const failures = (await ledger.moment(schedule.id))?.failures ?? 0;
    if (end.state === "failed" && failures >= MAX_FAILURES)
      await pauseFor(schedule, ended, `It failed ${failures} times in a row, last because: ${reason}`);
  }

  async function pauseFor(schedule: Schedule, occurrence: Occurrence, reason: string): Promise<void> {
    try {
      await options.schedules.pause(schedule.id, reason.slice(0, 1_000));
    } catch (error) {
      if (error instanceof NotFoundError) return;
      throw error;
    }
    await notices.send([pausedNotice(schedule, occurrence, reason, clock())]);
  }

  async function pruneDaily(now: Date): Promise<void> {
    const day = now.toISOString().slice(0, 10);
    if (day === prunedOn) return;
    prunedOn = day;
    const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS).toISOString();
    await ledger.prune(before);
    await notices.prune(before);
  }

  async function arm(): Promise<void> {
    const next = (await ledger.nextAt()) ?? null;
    // Whatever runs must be taken over when this process ends.
    const open = (await ledger.running())[0]?.dueAt ?? next;
    if (open !== toldNext) {
      toldNext = open;
      options.onNextChanged(open);
    }
    if (!options.keepsTime || closing.signal.aborted) return;
    const until = next === null ? MAX_WAIT_MS : Date.parse(next) - clock().getTime();
    const least = isBlocked ? BLOCKED_WAIT_MS : 0;
    clearTimeout(timer);
    timer = setTimeout(notify, Math.min(Math.max(until, least), MAX_WAIT_MS));
    timer.unref();
  }

  function tick(): Promise<void> {
    if (ticking) {
      // What changed during a look is seen by the next one, which the caller waits for.
      const next = () => {
        again = undefined;
        return tick();
      };
      again ??= ticking.then(next, next);
      return again;
    }
    ticking = look().finally(() => (ticking = undefined));
    return ticking;
  }

  function notify(): void {
    if (closing.signal.aborted) return;
    const looking = options.keepsTime ? tick() : arm();
    looking.catch((error: unknown) => {
      onProblem("what is scheduled could not be looked at", error);
      clearTimeout(timer);
      if (options.keepsTime && !closing.signal.aborted) timer = setTimeout(notify, MAX_WAIT_MS).unref();
    });
  }

  const leaseTimer = setInterval(() => {
    if (active.size === 0) return;
    ledger
      .renewLease()
      .catch((error: unknown) => onProblem("the lease of an occurrence could not be renewed", error));
  }, RENEW_EVERY_MS).unref();

  return {
    tick,
    notify,
    async execute(key) {
      const schedule = await records.get(key.scheduleId);
      const occurrence = await ledger.occurrence(key);
      if (occurrence?.state === "due") {
        if (schedule.what.kind === "reminder") await startDue(clock());
        else {
          const claim = await ledger.claim(key);
          if (claim) carryOut({ ...occurrence, attempt: claim.attempt }, claim);
        }
      }
      await active.get(keyOf(key));
      return ledger.occurrence(key);
    },
    async idle() {
      await ticking;
      while (active.size > 0) await Promise.all(active.values());
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      clearInterval(leaseTimer);
      await Promise.allSettled([ticking, ...active.values()]);
      await ledger.close();
    },
  };
}

const keyOf = ({ scheduleId, dueAt }: OccurrenceKey): string => `${scheduleId}/${dueAt}`;

/** A delay in milliseconds that is the same for one moment of a schedule in every process. */
function jitterOf(id: string, dueAt: string, seconds: number): number {
  if (seconds === 0) return 0;
  let hash = 0;
  for (const character of `${id}${dueAt}`) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % (seconds * 1_000);
}

/** The last midnight by the clock of a time zone, to the quarter of an hour. */
function startOfDay(now: Date, timeZone: string): Date {
  const day = localDay(now, timeZone);
  const quarter = 15 * 60_000;
  let at = Math.floor(now.getTime() / quarter) * quarter;
  while (localDay(new Date(at - 1), timeZone) === day) at -= quarter;
  return new Date(at);
}
