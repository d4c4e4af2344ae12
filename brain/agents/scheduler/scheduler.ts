import { isAgentScheduleId, type Occurrence } from "@metahuman/core/contract/schedule";
import { RENEW_EVERY_MS } from "@metahuman/core/database/lease-table";
import type { OccurrenceKey, OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import { deleteOldRows, type RetainedStores } from "@metahuman/core/schedules/retention";
import type { WatchedPages } from "@metahuman/core/schedules/watched-pages";
import { AgentName } from "@metahuman/core/contract/agents";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import { quietHoursEnd } from "@metahuman/core/schedules/quiet-hours";
import { createOccurrenceExecutor, type ExecutorOptions } from "./occurrence-executor.ts";
import { createDueRecorder, type DueRecorderOptions } from "./record-due.ts";
import type { ScheduledAgents } from "./scheduled-agents.ts";

/** The maximum time between two checks in milliseconds, so that a changed clock or a suspended machine is noticed. */
const MAX_WAIT_MS = 30_000;
/** The time to the next check while a due occurrence has to wait, in milliseconds. */
const BLOCKED_WAIT_MS = 1_000;

export interface SchedulerOptions extends ExecutorOptions, DueRecorderOptions {
  agents: ExecutorOptions["agents"];
  watchedPages: Pick<WatchedPages, "prune">;
  /** Whether this profile deletes its old rows itself, once a day. */
  deletesOldRows: boolean;
  /** Called when the time has changed at which the profile must be open next; null when nothing is scheduled. */
  onNextChanged(next: string | null): void;
  /** Whether the profile must also be open for agents that have not started since it was used. Default: no. */
  opensForAgents?: boolean;
  /** Whether due occurrences start automatically: true for a long-lived process. */
  runsTimers: boolean;
  /** Whether a check without a known reason may find anything. Default: it may. */
  mayFindWork?: () => boolean;
  /** Whether a schedule or an occurrence may be due or under way at the first look. Default: it may. */
  mayBeDue?: () => boolean;
}

/** Starts the due occurrences of one profile, at most `maxConcurrent` at a time. */
export interface Scheduler {
  /** Starts due occurrences. Resolves when they have started. Called automatically with `runsTimers`. */
  tick(): Promise<void>;
  /** Looks for the first time: now, or with `runsTimers` after some milliseconds, unless a schedule changes before. */
  start(afterMs: number): void;
  /** Schedules a check soon, because a schedule has changed. */
  notify(): void;
  /** Notes that the profile is used: its agents may find something to do then. */
  noteUse(): void;
  /** Whether the first look is still to come. */
  isWaiting(): boolean;
  /** Executes a due occurrence. Resolves to it when it has ended or runs in another process. */
  execute(key: OccurrenceKey): Promise<Occurrence | undefined>;
  /** Resolves when this process executes no occurrence. */
  idle(): Promise<void>;
  /** Stops starting occurrences. Another process or the next start takes over running ones. */
  close(): Promise<void>;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { records, ledger, clock, onProblem } = options;
  const closing = new AbortController();
  const recorder = createDueRecorder(options);
  const agents = createAgentsToStart(options);
  const executor = createOccurrenceExecutor(
    { ...options, agents, recorder },
    { signal: closing.signal, done: () => notify() },
  );
  const reportNext = createNextReporter(options, agents);
  const deleteOldDaily = options.deletesOldRows ? onceADay(options) : undefined;
  const mayFindWork = options.mayFindWork ?? (() => true);
  let timer: NodeJS.Timeout | undefined;
  let ticking: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  let isFirstLook = true;

  const reportProblem = (error: unknown): void =>
    onProblem("what is scheduled could not be looked at", error);

  async function poll(): Promise<void> {
    const isQuiet = isFirstLook && options.mayBeDue?.() === false;
    isFirstLook = false;
    let mustWait = false;
    if (isQuiet) await recorder.synchronizeAll();
    else {
      await executor.takeOver();
      await recorder.record();
      mustWait = await executor.startDue();
    }
    await deleteOldDaily?.();
    await reportNext({ nothingRuns: isQuiet });
    await scheduleTick(mustWait ? BLOCKED_WAIT_MS : 0);
  }

  async function scheduleTick(minWaitMs: number): Promise<void> {
    if (!options.runsTimers || closing.signal.aborted) return;
    const next = await ledger.nextAt();
    waitUntil(next === undefined ? Number.POSITIVE_INFINITY : Date.parse(next), minWaitMs);
  }

  /**
   * Schedules the next check for this time (milliseconds of the clock), or after `MAX_WAIT_MS` if there may be work.
   */
  function waitUntil(next: number, minWaitMs = 0): void {
    clearTimeout(timer);
    if (closing.signal.aborted) return;
    const untilMs = next - clock().getTime();
    const check = (): void => {
      if (clock().getTime() >= next || mayFindWork()) notify();
      else waitUntil(next);
    };
    timer = setTimeout(check, Math.min(Math.max(untilMs, minWaitMs), MAX_WAIT_MS)).unref();
  }

  function tick(): Promise<void> {
    if (ticking) {
      // The next poll, which the caller waits for, sees changes during this one.
      const next = () => {
        again = undefined;
        return tick();
      };
      again ??= ticking.then(next, next);
      return again;
    }
    ticking = poll().finally(() => (ticking = undefined));
    return ticking;
  }

  function notify(): void {
    if (closing.signal.aborted) return;
    clearTimeout(timer);
    const polling = options.runsTimers ? tick() : reportNext();
    polling.catch((error: unknown) => {
      reportProblem(error);
      clearTimeout(timer);
      if (options.runsTimers && !closing.signal.aborted) timer = setTimeout(notify, MAX_WAIT_MS).unref();
    });
  }

  const leaseTimer = setInterval(() => {
    if (executor.count() === 0) return;
    ledger
      .renewLease()
      .catch((error: unknown) => onProblem("the lease of an occurrence could not be renewed", error));
  }, RENEW_EVERY_MS).unref();

  return {
    tick,
    start(afterMs) {
      if (afterMs > 0 && options.runsTimers) timer = setTimeout(notify, afterMs).unref();
      else notify();
    },
    notify,
    noteUse() {
      if (agents.noteUse() && options.opensForAgents) reportNext().catch(reportProblem);
    },
    isWaiting: () => options.runsTimers && isFirstLook,
    async execute(key) {
      await executor.execute(key, await records.get(key.scheduleId));
      return ledger.occurrence(key);
    },
    async idle() {
      await ticking;
      await executor.idle();
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      clearInterval(leaseTimer);
      await Promise.allSettled([ticking, executor.idle()]);
      await ledger.close();
    },
  };
}

/** Reports when the profile must be open next. */
function createNextReporter(
  { ledger, onNextChanged, opensForAgents }: SchedulerOptions,
  agents: AgentsToStart,
): (known?: { nothingRuns: boolean }) => Promise<void> {
  let reported: string | null | undefined;
  return async ({ nothingRuns } = { nothingRuns: false }) => {
    // Whatever runs must be taken over when this process ends.
    const running = (nothingRuns ? [] : await ledger.running()).find(
      ({ scheduleId }) => !isAgentScheduleId(scheduleId),
    );
    const ofPerson = running?.dueAt ?? (await ledger.nextAt({ onlySchedules: true }));
    const times = [ofPerson, opensForAgents ? await agents.nextAt() : undefined];
    const next = times.filter((at) => at !== undefined).toSorted()[0] ?? null;
    if (next === reported) return;
    reported = next;
    onNextChanged(next);
  };
}

/** Deletes old rows and notices, once a day. */
function onceADay(options: RetainedStores & Pick<SchedulerOptions, "clock">): () => Promise<void> {
  let doneOn = "";
  return async () => {
    const now = options.clock();
    const day = now.toISOString().slice(0, 10);
    if (day === doneOn) return;
    doneOn = day;
    await deleteOldRows(options, now);
  };
}

/** How long the process that has the profile open may take to start an agent before another one does, in milliseconds. */
const OWN_MS = 60_000;

/** The agents that have not started since the profile was last used, so that they may find something to do. */
interface AgentsToStart extends ScheduledAgents {
  /** Notes a use of the profile. Returns true if an agent has started since the last one. */
  noteUse(): boolean;
  /**
   * When the profile must be open for the first of them, ISO 8601: when it is due, plus the time that the process has that
   * opened the profile. Undefined for none.
   */
  nextAt(): Promise<string | undefined>;
}

/** A profile that is opened counts as used. */
function createAgentsToStart({
  agents,
  ledger,
  mode,
  clock,
}: {
  agents: ScheduledAgents;
  ledger: Pick<OccurrenceLedger, "moments">;
  /** In emulation mode, no agent starts. */
  mode: () => Promise<CognitiveMode>;
  clock: () => Date;
}): AgentsToStart {
  const waiting = new Set<AgentName>(AgentName.options);
  const openedAt = clock().getTime();
  return {
    schedules: () => agents.schedules(),
    async run(agent) {
      waiting.delete(agent);
      return await agents.run(agent);
    },
    noteUse() {
      if (waiting.size === AgentName.options.length) return false;
      for (const agent of AgentName.options) waiting.add(agent);
      return true;
    },
    async nextAt() {
      const schedules = (await agents.schedules()).filter(
        ({ agent, enabled }) => enabled && waiting.has(agent),
      );
      if (schedules.length === 0 || (await mode()) === "emulation") return undefined;
      const moments = new Map((await ledger.moments()).map(({ scheduleId, next }) => [scheduleId, next]));
      const times = schedules.flatMap(({ id, startsOutside, timeZone }) => {
        const next = moments.get(id);
        if (typeof next !== "string") return [];
        const quietUntil = quietHoursEnd(startsOutside, clock(), timeZone)?.getTime() ?? 0;
        return [Math.max(Date.parse(next), openedAt, quietUntil) + OWN_MS];
      });
      return times.length === 0 ? undefined : new Date(Math.min(...times)).toISOString();
    },
  };
}
