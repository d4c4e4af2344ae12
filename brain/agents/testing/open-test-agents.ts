import { join } from "node:path";
import { openAgentStore } from "@metahuman/core/agents/open-agent-store";
import { openAuditLog } from "@metahuman/core/audit/open-audit-log";
import { AgentsConfig } from "@metahuman/core/contract/agents";
import { openDatabase } from "@metahuman/core/database/open-database";
import { stateMigrations } from "@metahuman/core/runs/migrations";
import { createAgentScheduler, type AgentScheduler } from "../background/agent-scheduler.ts";
import type { BackgroundAgent } from "../background/background-agent.ts";

/** An agent without work until a test gives it some. */
const idleAgent: BackgroundAgent = {
  name: "librarian",
  title: "Librarian",
  about: "Keeps things in order.",
  needsModel: false,
  work: async () => ({ summary: "Nothing to do.", changed: false }),
};

/** A scheduler for these agents on an in-memory state database, without schedules. */
export function openTestAgents(
  home: string,
  agents: readonly BackgroundAgent[] = [idleAgent],
): { agents: AgentScheduler; close(): Promise<void> } {
  const clock = () => new Date();
  const state = openDatabase(":memory:", stateMigrations, { title: "the state" });
  const audit = openAuditLog(join(home, "agents-audit"), clock);
  const keeper = createAgentScheduler({
    username: "ada",
    agents,
    store: openAgentStore(state),
    settings: () => AgentsConfig.parse({}),
    mode: async () => "dual",
    audit,
    clock,
    onProblem: () => undefined,
    keepsSchedules: false,
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
