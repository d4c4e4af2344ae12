import {
  isAgentScheduleId,
  type Occurrence,
  type Schedule,
  type SchedulesConfig,
} from "@metahuman/core/contract/schedule";
import { isOpenStatus, type Task } from "@metahuman/core/contract/task";
import { NotFoundError, TaskNotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { NewNotice, NoticePort } from "@metahuman/core/notices/notice-port";
import { reasonNotStarted } from "@metahuman/core/schedules/due-moments";
import type {
  AttemptClaim,
  OccurrenceKey,
  OccurrenceLedger,
} from "@metahuman/core/schedules/occurrence-ledger";
import type { SchedulesPort } from "@metahuman/core/schedules/schedules-port";
import type { DueRecorder } from "./record-due.ts";
import { type AttemptResult, type OccurrenceRunnerOptions, runOccurrence } from "./run-occurrence.ts";
import {
  type AgentSchedule,
  reasonNotToStart,
  runScheduledAgent,
  type ScheduledAgents,
} from "./scheduled-agents.ts";
import type { WatchedChange } from "./outcome-of-run.ts";
import {
  changedNotice,
  failedNotice,
  missedNotice,
  pausedNotice,
  reminderNotice,
  sendingTime,
  succeededNotice,
  waitingNotice,
} from "./schedule-notices.ts";
import { localDay } from "@metahuman/core/language/dates/clock";

const MAX_FAILURES = 3;
/** The delay in milliseconds before an attempt that threw is continued. */
const RETRY_MS = 30_000;

export interface ExecutorOptions extends Omit<
  OccurrenceRunnerOptions,
  "onWaiting" | "onWorking" | "conversationOf" | "onConversation"
> {
  ledger: OccurrenceLedger;
  agents: ScheduledAgents;
  schedules: Pick<SchedulesPort, "pause">;
  notices: NoticePort;
  /** The time zone that the person has set; undefined if none. */
  ownZone(): Promise<string | undefined>;
  /** Throws `TaskNotFoundError` for a task that was deleted. */
  taskStatus(id: string): Promise<Task["status"]>;
  hasConversation(id: string): Promise<boolean>;
  config: () => SchedulesConfig;
  /** Receives errors that no caller sees. */
  onProblem: (message: string, cause: unknown) => void;
  /** Called when an occurrence has changed. */
  onChange(): void;
}

/** Executes the occurrences of the ledger. */
export interface OccurrenceExecutor {
  /** Starts all occurrences that may start. Resolves to true if a due occurrence has to wait. */
  startDue(): Promise<boolean>;
  /** Resumes occurrences of processes that have ended, and those here whose end could not be stored. */
  takeOver(): Promise<void>;
  /** Executes one occurrence. Resolves when it has ended or runs in another process. */
  execute(key: OccurrenceKey, schedule: Schedule): Promise<void>;
  /** The number of occurrences that this process executes. */
  count(): number;
  idle(): Promise<void>;
}

/** Calls `done` when an occurrence has ended. After `signal`, starts nothing and stores no end. */
export function createOccurrenceExecutor(
  options: ExecutorOptions & { recorder: Pick<DueRecorder, "find"> },
  { signal, done }: { signal: AbortSignal; done: () => void },
): OccurrenceExecutor {
  const { recorder, ledger, clock } = options;
  const active = new Map<string, Promise<void>>();
  /** Active occurrences that do not count towards `maxConcurrent`: they wait for a person, or are agents. */
  const uncounted = new Set<string>();
  let hasEndedMissed = false;
  const thrown = new ThrownAttempts();
  const runner = runnerOf(options, {
    waits: (key) => void uncounted.add(key),
    works: (key) => void uncounted.delete(key),
  });

  function execute(occurrence: Occurrence, claim: AttemptClaim): void {
    const key = keyOf(occurrence);
    if (isAgentScheduleId(occurrence.scheduleId)) uncounted.add(key);
    const work = attempt(occurrence, claim, { ...options, runner, signal })
      .catch((error: unknown) => {
        thrown.add(occurrence, clock());
        options.onProblem("an occurrence of a schedule could not be carried out", error);
      })
      .finally(() => {
        active.delete(key);
        uncounted.delete(key);
        done();
      });
    active.set(key, work);
    options.onChange();
  }

  async function start(occurrence: Occurrence): Promise<void> {
    const claim = await ledger.claim(occurrence);
    if (claim) execute({ ...occurrence, attempt: claim.attempt }, claim);
  }

  /** Starts a due occurrence if there is room, or skips it by the rules of its schedule. True if it has to wait. */
  async function startRun(schedule: Schedule, occurrence: Occurrence): Promise<boolean> {
    if ((await ledger.running()).some(({ scheduleId }) => scheduleId === schedule.id)) {
      if (schedule.overlap === "wait") return true;
      await skip(occurrence, "An earlier occurrence was still running.", options);
      return false;
    }
    if (active.size - uncounted.size >= options.config().maxConcurrent) return true;
    const exceeded = await exceededBudget(schedule, ledger, clock());
    if (exceeded === undefined) await start(occurrence);
    else {
      await skip(occurrence, exceeded, options);
      await pauseAndNotify(schedule, occurrence, exceeded, options);
    }
    return false;
  }

  async function startAgent(
    agent: AgentSchedule,
    occurrence: Occurrence,
    due: readonly Occurrence[],
  ): Promise<boolean> {
    const running = await ledger.running();
    const blocker = reasonNotToStart(agent, occurrence, { due, running, now: clock() });
    if (blocker === "later") return true;
    if (blocker) await skip(occurrence, blocker.skip, options);
    else await start(occurrence);
    return false;
  }

  return {
    async startDue() {
      let mustWait = false;
      const mode = await options.mode();
      const reminders: Reminder[] = [];
      if (!hasEndedMissed) await endMissedBefore(options);
      hasEndedMissed = true;
      const due = await ledger.due(clock());
      for (const occurrence of due) {
        if (signal.aborted) return mustWait;
        const source = await recorder.find(occurrence.scheduleId);
        if (source === "unreadable") continue;
        if (source === undefined)
          await skip(occurrence, "The schedule was deleted before it started.", options);
        else if (mode === "emulation")
          await skip(occurrence, "In emulation mode, no schedule runs.", options);
        else if ("agent" in source) mustWait = (await startAgent(source, occurrence, due)) || mustWait;
        else if (source.what.kind === "reminder") reminders.push({ occurrence, schedule: source });
        else mustWait = (await startRun(source, occurrence)) || mustWait;
      }
      await remind(reminders, options);
      return mustWait;
    },
    async takeOver() {
      for (const key of thrown.take(clock())) {
        const current = await ledger.occurrence(key);
        if (current?.state === "running" && !active.has(keyOf(key))) execute(current, claimOf(current));
      }
      for (const lost of await ledger.takeOver()) execute(lost, claimOf(lost));
    },
    async execute(key, schedule) {
      const occurrence = await ledger.occurrence(key);
      if (occurrence?.state === "due") {
        if (schedule.what.kind === "reminder") await remind([{ schedule, occurrence }], options);
        else await start(occurrence);
      }
      await active.get(keyOf(key));
    },
    count: () => active.size,
    async idle() {
      while (active.size > 0) await Promise.all(active.values());
    },
  };
}

/** Executes one attempt and stores its end, unless `signal` aborts first. */
async function attempt(
  occurrence: Occurrence,
  claim: AttemptClaim,
  {
    runner,
    signal,
    ...options
  }: ExecutorOptions & {
    recorder: Pick<DueRecorder, "find">;
    runner: OccurrenceRunnerOptions;
    signal: AbortSignal;
  },
): Promise<void> {
  const source = await options.recorder.find(occurrence.scheduleId);
  if (source === "unreadable")
    throw new TypeError(`${occurrence.scheduleId} has a running occurrence and cannot be read`);
  if (source === undefined) {
    await options.ledger.end(claim, { state: "skipped", reason: "The schedule was deleted while it ran." });
    return;
  }
  if ("agent" in source) return await runScheduledAgent(source, claim, options);
  const result = await runOccurrence(source, occurrence, runner, signal);
  if (result && !signal.aborted) await endAttempt(source, occurrence, { claim, result }, options);
}

/** Attempts that threw. Their occurrences still belong to this process, because their end could not be stored. */
class ThrownAttempts {
  readonly #retryAt = new Map<OccurrenceKey, number>();

  add({ scheduleId, dueAt }: OccurrenceKey, now: Date): void {
    this.#retryAt.set({ scheduleId, dueAt }, now.getTime() + RETRY_MS);
  }

  /** Removes and returns the attempts that are due now. */
  take(now: Date): OccurrenceKey[] {
    const ready = [...this.#retryAt].filter(([, at]) => at <= now.getTime()).map(([key]) => key);
    for (const key of ready) this.#retryAt.delete(key);
    return ready;
  }
}

interface Reminder {
  schedule: Schedule;
  occurrence: Occurrence;
}

type Stores = Pick<
  ExecutorOptions,
  "ledger" | "notices" | "schedules" | "clock" | "ownZone" | "config" | "onChange"
>;

function runnerOf(
  options: ExecutorOptions,
  on: { waits: (key: string) => void; works: (key: string) => void },
): OccurrenceRunnerOptions {
  const { ledger, notices } = options;
  return {
    ...options,
    async conversationOf(scheduleId) {
      const id = (await ledger.moment(scheduleId))?.conversationId ?? undefined;
      return id !== undefined && (await options.hasConversation(id)) ? id : undefined;
    },
    onConversation: (scheduleId, conversationId) => ledger.setConversation(scheduleId, conversationId),
    onWorking: (occurrence) => on.works(keyOf(occurrence)),
    async onWaiting(schedule, occurrence, run) {
      on.waits(keyOf(occurrence));
      await notices.send([waitingNotice(schedule, occurrence, run, await sendingTime(options))]);
    },
  };
}

/** Sends reminders and ends their occurrences. Those of finished tasks end as skipped. */
async function remind(
  reminders: readonly Reminder[],
  options: Stores & Pick<ExecutorOptions, "taskStatus" | "onProblem">,
): Promise<void> {
  const open: Reminder[] = [];
  for (const reminder of reminders) {
    if (!(await isTaskClosed(reminder.schedule, options))) open.push(reminder);
    else {
      const reason = "Its task is finished or deleted.";
      await skip(reminder.occurrence, reason, options);
      await pauseIfThere(reminder.schedule.id, reason, options);
    }
  }
  if (open.length === 0) return;
  const at = await sendingTime(options);
  await options.notices.send(
    open.map(({ schedule, occurrence }) => reminderNotice(schedule, occurrence, at)),
  );
  await options.ledger.complete(
    open.map(({ occurrence }) => occurrence),
    "reminded",
  );
  options.onChange();
}

/**
 * Whether the task is finished. Returns false for an unreadable task, because a superfluous reminder is better than
 * none.
 */
async function isTaskClosed(
  { what }: Schedule,
  { taskStatus, onProblem }: Pick<ExecutorOptions, "taskStatus" | "onProblem">,
): Promise<boolean> {
  if (what.kind !== "reminder" || what.taskId === undefined) return false;
  try {
    return !isOpenStatus(await taskStatus(what.taskId));
  } catch (error) {
    if (error instanceof TaskNotFoundError) return true;
    onProblem("the task of a reminder could not be read", error);
    return false;
  }
}

async function skip(
  occurrence: Occurrence,
  reason: string,
  { ledger, onChange }: Pick<Stores, "ledger" | "onChange">,
): Promise<void> {
  await ledger.drop(occurrence, { state: "skipped", reason });
  onChange();
}

/** Ends as missed what an earlier process recorded and did not start. */
async function endMissedBefore(options: Stores & { recorder: Pick<DueRecorder, "find"> }): Promise<void> {
  const { ledger, recorder, clock } = options;
  const running = new Set((await ledger.running()).map(({ scheduleId }) => scheduleId));
  for (const occurrence of await ledger.due(clock())) {
    const source = await recorder.find(occurrence.scheduleId);
    if (source === undefined || source === "unreadable" || running.has(occurrence.scheduleId)) continue;
    if (!("agent" in source)) await endMissed(source, occurrence, options);
  }
}

/** Ends an occurrence as missed whose process ended before it started, if its schedule does not catch it up. */
async function endMissed(schedule: Schedule, occurrence: Occurrence, options: Stores): Promise<void> {
  const { ledger, notices, config, onChange } = options;
  const at = await sendingTime(options);
  const { now } = at;
  const isLatest = (await ledger.lastDue(schedule.id)) === occurrence.dueAt;
  const { jitterSeconds } = config();
  const reason = reasonNotStarted(schedule, occurrence, { now, isLatest, jitterSeconds });
  if (reason === undefined) return;
  const end = { state: "missed" as const, reason };
  const notice = missedNotice(schedule, [{ ...end, dueAt: occurrence.dueAt }], at);
  await notices.send(notice ? [notice] : []);
  await ledger.drop(occurrence, end);
  onChange();
}

/** Sends the notice about an attempt's end, pauses a schedule that keeps failing, and stores the end. */
async function endAttempt(
  schedule: Schedule,
  occurrence: Occurrence,
  { claim, result }: { claim: AttemptClaim; result: AttemptResult },
  options: Stores,
): Promise<void> {
  const { ledger, notices, clock, ownZone, config, onChange } = options;
  const { isTransient = false, text = "", watched, ...end } = result;
  const runId = (await ledger.occurrence(occurrence))?.runId;
  const ended = { ...occurrence, ...(runId !== undefined && { runId }) };
  const delay = config().retryAfterSeconds[claim.attempt - 1];
  const now = clock();
  if (end.state === "failed" && isTransient && delay !== undefined) {
    const retryAt = new Date(now.getTime() + delay * 1_000).toISOString();
    await ledger.end(claim, { ...end, state: "retry", retryAt });
    onChange();
    return;
  }
  const { reason = "It ended without a result." } = end;
  if (end.state === "succeeded") await notices.send(successNotices(schedule, ended, { text, watched }, now));
  else if (end.state !== "retry")
    await notices.send([
      failedNotice(schedule, ended, { state: end.state, reason }, { now, ownZone: await ownZone() }),
    ]);
  const failures = ((await ledger.moment(schedule.id))?.failures ?? 0) + 1;
  // Paused before the end is stored: a process that ends in between does all of it again when the attempt is taken over.
  if (end.state === "failed" && failures >= MAX_FAILURES)
    await pauseAndNotify(
      schedule,
      ended,
      `It failed ${failures} times in a row, last because: ${reason}`,
      options,
    );
  if (await ledger.end(claim, end)) onChange();
}

/** The notice of a successful attempt; none for an unchanged page, which only the ledger records. */
function successNotices(
  schedule: Schedule,
  occurrence: Occurrence,
  { text, watched }: { text: string; watched: WatchedChange | undefined },
  now: Date,
): NewNotice[] {
  if (watched === "unchanged") return [];
  return [
    watched === undefined
      ? succeededNotice(schedule, occurrence, text, now)
      : changedNotice(schedule, occurrence, { text, urls: watched }, now),
  ];
}

async function pauseAndNotify(
  schedule: Schedule,
  occurrence: Occurrence,
  reason: string,
  { schedules, notices, clock }: Pick<Stores, "schedules" | "notices" | "clock">,
): Promise<void> {
  if (await pauseIfThere(schedule.id, reason, { schedules }))
    await notices.send([pausedNotice(schedule, occurrence, reason, clock())]);
}

/** False if the schedule was deleted meanwhile. */
async function pauseIfThere(
  id: string,
  reason: string,
  { schedules }: Pick<Stores, "schedules">,
): Promise<boolean> {
  try {
    await schedules.pause(id, reason.slice(0, 1_000));
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

/** The part of the schedule's daily budget that is used up, as a sentence. */
async function exceededBudget(
  { id, budget, timeZone }: Schedule,
  ledger: Pick<OccurrenceLedger, "usage">,
  now: Date,
): Promise<string | undefined> {
  if (!budget) return undefined;
  const used = await ledger.usage(id, startOfDay(now, timeZone).toISOString());
  if (budget.modelCalls !== undefined && used.modelCalls >= budget.modelCalls)
    return `It has used its ${budget.modelCalls} model calls for the day.`;
  if (budget.tokens !== undefined && used.tokens >= budget.tokens)
    return `It has used its ${budget.tokens} tokens for the day.`;
  return undefined;
}

const claimOf = ({ scheduleId, dueAt, attempt }: Occurrence): AttemptClaim => ({
  scheduleId,
  dueAt,
  attempt,
});

const keyOf = ({ scheduleId, dueAt }: OccurrenceKey): string => `${scheduleId}/${dueAt}`;

/** The last midnight by the clock of a time zone, to the quarter of an hour. */
function startOfDay(now: Date, timeZone: string): Date {
  const day = localDay(now, timeZone);
  const quarter = 15 * 60_000;
  let at = Math.floor(now.getTime() / quarter) * quarter;
  while (localDay(new Date(at - 1), timeZone) === day) at -= quarter;
  return new Date(at);
}
