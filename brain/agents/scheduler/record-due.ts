import type { Schedule, SchedulesConfig } from "@metahuman/core/contract/schedule";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { NewNotice, NoticePort } from "@metahuman/core/notices/notice-port";
import { dueMoments } from "@metahuman/core/schedules/due-moments";
import type {
  ScheduleAdvance,
  OccurrenceLedger,
  StoredMoment,
} from "@metahuman/core/schedules/occurrence-ledger";
import { synchronizeMoment, timingOf } from "@metahuman/core/schedules/schedule-moments";
import type { ScheduleRecords } from "@metahuman/core/schedules/schedule-records";
import type { AgentSchedule, ScheduledAgents } from "./scheduled-agents.ts";
import { missedNotice } from "./schedule-notices.ts";

/** The number of schedules per transaction. */
const BATCH = 200;

export interface DueRecorderOptions {
  username: string;
  records: ScheduleRecords;
  ledger: OccurrenceLedger;
  agents: Pick<ScheduledAgents, "schedules">;
  notices: NoticePort;
  clock: () => Date;
  /** The time zone that the person has set; undefined if none. */
  ownZone(): Promise<string | undefined>;
  config: () => SchedulesConfig;
  /** Receives errors that no caller sees. */
  onProblem: (message: string, cause: unknown) => void;
  /** Called when rows were written. */
  onChange(): void;
}

/** A person's schedule, or the schedule of an agent. */
export type Source = Schedule | AgentSchedule;

/** Records due moments in the ledger, before anything runs. */
export interface DueRecorder {
  /** Finds schedules that were written by hand, restored or left half changed by a crash, and changed settings of agents. */
  synchronizeAll(): Promise<void>;
  /** Writes a row with the decision for each due moment, and the next moment. */
  record(): Promise<void>;
  /** The schedule or agent with this id; undefined for one that was deleted. */
  find(id: string): Promise<Source | "unreadable" | undefined>;
}

export function createDueRecorder(options: DueRecorderOptions): DueRecorder {
  const { records, ledger, agents, notices, clock, onProblem } = options;
  /** The timing of each agent for which its next moment is stored; undefined before the first look. */
  let agentTimings: Map<string, string> | undefined;

  async function synchronizeAll(): Promise<void> {
    const agentSchedules = await agents.schedules();
    const stored =
      agentTimings ?? new Map((await ledger.moments()).map(({ scheduleId, timing }) => [scheduleId, timing]));
    const others = agentTimings ? [] : await records.list();
    for (const source of [...agentSchedules, ...others])
      if (stored.get(source.id) !== timingOf(source)) await synchronizeMoment(source, ledger, clock());
    agentTimings = new Map(agentSchedules.map((agent) => [agent.id, timingOf(agent)]));
  }

  async function find(id: string): Promise<Source | "unreadable" | undefined> {
    const agent = (await agents.schedules()).find((one) => one.id === id);
    if (agent) return agent;
    try {
      return await records.get(id);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      onProblem("a schedule could not be read", error);
      return "unreadable";
    }
  }

  /** The due moments. Recomputes those of changed schedules and removes those of deleted ones. */
  async function synchronizeMoments(now: Date): Promise<{ stored: StoredMoment; source: Source }[]> {
    const found: { stored: StoredMoment; source: Source }[] = [];
    for (const stored of await ledger.dueSchedules(now)) {
      const source = await find(stored.scheduleId);
      if (source === undefined)
        await ledger.forget(stored.scheduleId, "The schedule was deleted before it started.");
      else if (source !== "unreadable") {
        if (stored.timing === timingOf(source)) found.push({ stored, source });
        else await synchronizeMoment(source, ledger, now);
      }
    }
    return found;
  }

  async function advanceAll(due: readonly { stored: StoredMoment; source: Source }[]): Promise<void> {
    const ownZone = await options.ownZone();
    for (let from = 0; from < due.length; from += BATCH) {
      const decided = due.slice(from, from + BATCH).flatMap((one) => decide(one, ownZone));
      // The notice is sent first: a process that ends in between sends it again, and its key prevents a duplicate.
      await notices.send(decided.flatMap(({ missed }) => missed ?? []));
      if ((await ledger.advance(decided.map(({ advance }) => advance))).length > 0) options.onChange();
    }
  }

  function decide(
    { stored, source }: { stored: StoredMoment; source: Source },
    ownZone: string | undefined,
  ): { advance: ScheduleAdvance; missed?: NewNotice | undefined }[] {
    const { next, note, timing } = stored;
    if (next === null) return [];
    const now = clock();
    const decided = dueMoments(source, { at: new Date(next), ...(note !== null && { note }) }, now);
    const advance: ScheduleAdvance = {
      scheduleId: source.id,
      expected: { timing, next },
      rows: decided.rows,
      next: decided.next?.at.toISOString() ?? null,
      note: decided.next?.note ?? null,
      jitterMs: jitterOf(`${options.username} ${source.id}`, next, options.config().jitterSeconds),
    };
    return [
      {
        advance,
        missed: "agent" in source ? undefined : missedNotice(source, decided.rows, { now, ownZone }),
      },
    ];
  }

  return {
    synchronizeAll,
    find,
    async record() {
      await synchronizeAll();
      // A long absence is recorded in parts.
      for (;;) {
        const due = await synchronizeMoments(clock());
        if (due.length === 0) return;
        await advanceAll(due);
      }
    },
  };
}

/** A delay in milliseconds that is equal for one moment of a schedule of a person in every process. */
function jitterOf(id: string, dueAt: string, seconds: number): number {
  if (seconds === 0) return 0;
  let hash = 0;
  for (const character of `${id}${dueAt}`) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash % (seconds * 1_000);
}
