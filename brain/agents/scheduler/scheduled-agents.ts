import { createHash } from "node:crypto";
import { type AgentName, type AgentRun, type AgentSettings } from "@metahuman/core/contract/agents";
import {
  type AgentScheduleId,
  agentScheduleId,
  isAgentScheduleId,
  type Occurrence,
} from "@metahuman/core/contract/schedule";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { quietHoursEnd } from "@metahuman/core/schedules/quiet-hours";
import type { AttemptClaim, AttemptEnd, OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import type { Timed } from "@metahuman/core/schedules/schedule-moments";

/** An agent with the rules of its schedule. */
export interface AgentSchedule extends Timed {
  id: AgentScheduleId;
  agent: AgentName;
}

/** The agents of a profile, as the scheduler starts them. */
export interface ScheduledAgents {
  /** The schedules by the current settings. */
  schedules(): Promise<AgentSchedule[]>;
  /** Starts a run and resolves when it has ended. Throws `ConflictError` while the agent runs in any process. */
  run(agent: AgentName): Promise<AgentRun>;
}

/** The delay in minutes up to which an agent's start counts as on time. */
const GRACE_MINUTES = 5;

/**
 * The rules of an agent: a cron expression in the time zone of the machine. Only the latest missed moment is caught up.
 * Each moment comes `delayMs` later than the expression says.
 */
export function agentSchedule(
  agent: AgentName,
  { enabled, schedule, quietHours }: AgentSettings,
  { timeZone, delayMs = 0 }: { timeZone: string; delayMs?: number },
): AgentSchedule {
  return {
    id: agentScheduleId(agent),
    agent,
    when: { kind: "cron", expression: schedule },
    timeZone,
    enabled,
    catchUp: "once",
    graceMinutes: GRACE_MINUTES,
    skipDays: [],
    ...(quietHours && { startsOutside: quietHours }),
    ...(delayMs > 0 && { delayMs }),
  };
}

/**
 * By how many milliseconds an agent of this profile starts later, so that the agents of many profiles do not start at the same
 * moment: the same below `spreadMs` in every process.
 */
export function agentDelay(username: string, agent: AgentName, spreadMs: number): number {
  if (spreadMs === 0) return 0;
  const hash = createHash("sha256").update(`${username} ${agent}`).digest();
  return hash.readUIntBE(0, 6) % spreadMs;
}

/** The reason why an agent's occurrence does not start now: `skip` means never, `later` means not yet. */
export function reasonNotToStart(
  { startsOutside, timeZone }: AgentSchedule,
  { scheduleId, dueAt }: Occurrence,
  { due, running, now }: { due: readonly Occurrence[]; running: readonly Occurrence[]; now: Date },
): { skip: string } | "later" | undefined {
  if (due.some((other) => other.scheduleId === scheduleId && other.dueAt > dueAt))
    return { skip: "A later start of the agent is also due." };
  if (quietHoursEnd(startsOutside, now, timeZone)) return "later";
  // One after the other, so that the load stays low.
  return running.some((other) => isAgentScheduleId(other.scheduleId)) ? "later" : undefined;
}

/** Runs an agent for an occurrence that was claimed, and stores how it ended. */
export async function runScheduledAgent(
  { agent }: AgentSchedule,
  claim: AttemptClaim,
  { agents, ledger }: { agents: ScheduledAgents; ledger: OccurrenceLedger },
): Promise<void> {
  await ledger.end(claim, await endOf(agent, agents));
}

async function endOf(agent: AgentName, agents: ScheduledAgents): Promise<AttemptEnd> {
  try {
    const { status, summary: reason = "" } = await agents.run(agent);
    const withReason = reason === "" ? {} : { reason };
    switch (status) {
      case "finished":
        return { state: "succeeded", outcome: status };
      case "stopped":
        return { state: "skipped", outcome: status, ...withReason };
      case "failed":
      case "interrupted":
      case "running":
        return { state: "failed", outcome: status, ...withReason };
      default:
        return status satisfies never;
    }
  } catch (error) {
    if (error instanceof ConflictError) return { state: "skipped", reason: "The agent was already running." };
    throw error;
  }
}
