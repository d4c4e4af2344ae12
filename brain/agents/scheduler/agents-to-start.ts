import { AgentName } from "@metahuman/core/contract/agents";
import type { CognitiveMode } from "@metahuman/core/contract/trust";
import type { OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import { quietHoursEnd } from "@metahuman/core/schedules/quiet-hours";
import type { ScheduledAgents } from "./scheduled-agents.ts";

/** How long the process that has the profile open may take to start an agent before another one does, in milliseconds. */
const OWN_MS = 60_000;

/** The agents that have not started since the profile was last used, so that they may find something to do. */
export interface AgentsToStart extends ScheduledAgents {
  /** Notes a use of the profile. Returns true if an agent has started since the last one. */
  noteUse(): boolean;
  /**
   * When the profile must be open for the first of them, ISO 8601: when it is due, plus the time that the process has that
   * opened the profile. Undefined for none.
   */
  nextAt(): Promise<string | undefined>;
}

/** A profile that is opened counts as used. */
export function createAgentsToStart({
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
