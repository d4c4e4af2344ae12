import {
  createAgentScheduler,
  type AgentScheduler,
  type AgentSchedulerOptions,
} from "@metahuman/agents/background/agent-scheduler";
import { createIngestor } from "@metahuman/agents/ingestor/ingestor";
import { createLibrarian } from "@metahuman/agents/librarian/librarian";
import { createPatternMiner } from "@metahuman/agents/pattern-miner/pattern-miner";
import { createReflector } from "@metahuman/agents/reflector/reflector";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import type { ConfigSource } from "@metahuman/core/config/config-source";
import type { Database } from "@metahuman/core/database/open-database";
import type { OpenedMemory } from "@metahuman/core/memory/open-memory";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { WorkspaceFiles } from "@metahuman/core/workspace/files";
import type { ModelRouter } from "@metahuman/models/router";

export interface ProfileAgentParts extends Pick<
  AgentSchedulerOptions,
  "username" | "audit" | "clock" | "onProblem" | "keepsSchedules"
> {
  files: WorkspaceFiles;
  opened: OpenedMemory;
  router: ModelRouter;
  state: Database;
  config: ConfigSource;
  store: ProfileStore;
}

/** Creates the background agents of a profile. */
export function createProfileAgents(parts: ProfileAgentParts): AgentScheduler {
  const { files, opened, router, state, config, store, ...rest } = parts;
  const { memory, index, upkeep } = opened;
  const settings = () => config.current().memory;
  return createAgentScheduler({
    ...rest,
    agents: [
      createIngestor({ files, memory }),
      createLibrarian({ index, retire: upkeep.retire, maxMemories: () => settings().maxMemories }),
      createPatternMiner({ memory, threshold: () => settings().patternThreshold }),
      createReflector({ memory, router, audit: parts.audit }),
    ],
    store: openAgentStore(state, { clock: parts.clock }),
    settings: () => config.current().agents,
    mode: async () => (await store.settings()).mode,
  });
}
