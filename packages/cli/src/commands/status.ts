import { openSession } from "../session.ts";
import { table } from "../output.ts";
import { serverState, serverWords } from "../server-health.ts";
import type { AddCommand } from "./command.ts";

/** What is there and how it stands, at a glance. */
export const addStatusCommand: AddCommand = (program, context) => {
  program
    .command("status")
    .description("what is there: server, model, profile, what waits for you")
    .action(async () => {
      const { output, env } = context();
      const { brain, profile, identity } = await openSession(context());
      const [server, models, index, pending, tasks, memories] = await Promise.all([
        serverState(brain.home, env),
        brain.models(),
        profile.index.status(),
        profile.approvals.list({ status: "pending", limit: 1 }),
        profile.tasks.list({ limit: 1 }),
        profile.memory.list({ limit: 1 }),
      ]);
      const value = {
        version: brain.version,
        home: brain.home,
        server,
        models,
        profile: {
          username: profile.username,
          role: identity.role,
          mode: identity.mode,
          trustLevel: identity.trustLevel,
        },
        memories: memories.total,
        openTasks: tasks.total,
        pendingApprovals: pending.total,
        index,
      };
      const rows = [
        ["version", brain.version],
        ["data", brain.home],
        ["server", serverWords(server)],
        ["model", models.summary],
        [
          "profile",
          `${profile.username} (${identity.role}), mode ${identity.mode}, trust ${identity.trustLevel}`,
        ],
        [
          "memories",
          `${String(memories.total)}, ${String(index.embedded)} of ${String(index.items)} findable by meaning`,
        ],
        ["open tasks", String(tasks.total)],
        [
          "waiting",
          pending.total === 0 ? "nothing" : `${String(pending.total)} approvals: mh approvals list`,
        ],
      ];
      output.result(value, table(rows));
    });
};
