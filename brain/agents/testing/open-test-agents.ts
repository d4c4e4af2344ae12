import { join } from "node:path";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { AgentsConfig } from "@metahuman/core/contract/agents";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createProfileAgents, type ProfileAgents } from "../background/profile-agents.ts";
import type { BackgroundAgent } from "../background/background-agent.ts";

/** An agent without work until a test gives it some. */
const idleAgent: BackgroundAgent = {
  name: "librarian",
  title: "Librarian",
  about: "Keeps things in order.",
  needsModel: false,
  work: async () => ({ summary: "Nothing to do.", changed: false }),
};

/** These agents on an in-memory state database, without a schedule. */
export function openTestAgents(
  home: string,
  agents: readonly BackgroundAgent[] = [idleAgent],
): { agents: ProfileAgents; close(): Promise<void> } {
  const clock = () => new Date();
  const state = openDatabase(":memory:", stateMigrations, { title: "the state" });
  const audit = openAuditLog(join(home, "agents-audit"), clock);
  const keeper = createProfileAgents({
    username: "ada",
    agents,
    store: openAgentStore(state),
    settings: async (agent) => ({ ...AgentsConfig.parse({})[agent], paused: false }),
    setPaused: async () => undefined,
    nextRun: async () => null,
    audit,
    clock,
    onProblem: () => undefined,
  });
  return {
    agents: keeper,
    async close() {
      await keeper.close();
      await audit.close();
      state.close();
    },
  };
}
