import {
  createProfileAgents,
  type ProfileAgents,
  type ProfileAgentsOptions,
} from "@metahuman/agents/background/profile-agents";
import { createIngestor } from "@metahuman/agents/ingestor/ingestor";
import { createLibrarian } from "@metahuman/agents/librarian/librarian";
import { createPatternMiner } from "@metahuman/agents/pattern-miner/pattern-miner";
import { createReflector } from "@metahuman/agents/reflector/reflector";
import { agentDelay, type AgentSchedule, agentSchedule } from "@metahuman/agents/scheduler/scheduled-agents";
import type { AgentStore } from "@metahuman/core/agents/open-agent-store";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import { AgentName } from "@metahuman/core/contract/agents";
import { regionOf } from "@metahuman/core/contract/region";
import type { UsedMemory } from "@metahuman/core/memory/memory-when-used";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { OccurrenceLedger } from "@metahuman/core/schedules/occurrence-ledger";
import { currentMoment } from "@metahuman/core/schedules/schedule-moments";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { ModelRouter } from "@metahuman/models/router";

export interface ProfileAgentParts extends Pick<
  ProfileAgentsOptions,
  "username" | "audit" | "clock" | "onProblem"
> {
  files: WorkspaceFiles;
  opened: UsedMemory;
  router: ModelRouter;
  agentStore: AgentStore;
  config: ConfigSource;
  store: ProfileStore;
  ledger: OccurrenceLedger;
  /** As in `ProfileState`. */
  agentSpreadMs: number;
}

/** The background agents of a profile, and the rules by which the scheduler starts them. */
export interface OpenedAgents {
  agents: ProfileAgents;
  schedules(): Promise<AgentSchedule[]>;
}

export function openProfileAgents(parts: ProfileAgentParts): OpenedAgents {
  const { files, opened, router, agentStore, config, store, ledger, agentSpreadMs, ...rest } = parts;
  const { memory, index, upkeep } = opened;
  const settings = () => config.current().memory;
  // Agent schedules use the time zone of the machine, not that of the person.
  const { timeZone } = regionOf();

  async function settingsOf(agent: AgentName) {
    const { pausedAgents = [] } = await store.settings();
    return { ...config.current().agents[agent], paused: pausedAgents.includes(agent) };
  }

  async function scheduleOf(agent: AgentName): Promise<AgentSchedule> {
    const { paused, ...own } = await settingsOf(agent);
    return agentSchedule(
      agent,
      { ...own, enabled: own.enabled && !paused },
      {
        timeZone,
        delayMs: agentDelay(parts.username, agent, agentSpreadMs),
      },
    );
  }

  const agents = createProfileAgents({
    ...rest,
    agents: [
      createIngestor({ files, memory }),
      createLibrarian({ index, retire: upkeep.retire, maxMemories: () => settings().maxMemories }),
      createPatternMiner({ memory, threshold: () => settings().patternThreshold }),
      createReflector({ memory, router, audit: parts.audit }),
    ],
    store: agentStore,
    settings: settingsOf,
    async setPaused(agent, paused) {
      await store.changeSettings(({ pausedAgents = [] }) => ({
        pausedAgents: [...pausedAgents.filter((other) => other !== agent), ...(paused ? [agent] : [])],
      }));
    },
    nextRun: async (agent) => (await currentMoment(await scheduleOf(agent), ledger, parts.clock())) ?? null,
  });
  return { agents, schedules: () => Promise.all(AgentName.options.map(scheduleOf)) };
}
