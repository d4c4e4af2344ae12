import { formatBytes, formatCount } from "@metahuman/core/text/format";
import type { StorageUsage } from "@metahuman/core/contract/http";
import { type AddCommand, openSession } from "../session.ts";
import { table } from "../output.ts";
import { serverState, describeServer } from "../server-health.ts";

/** `mh status`: an overview of the server, the models and the profile. */
export const addStatusCommand: AddCommand = (program, context) => {
  program
    .command("status")
    .description("show the server, the model, the profile and pending approvals")
    .action(async () => {
      const { output, env } = context();
      const { brain, profile, identity } = await openSession(context());
      const [server, models, index, pending, functions, tasks, memories, storage] = await Promise.all([
        serverState(brain.home, env),
        brain.models(),
        profile.index.status(),
        profile.approvals.list({ status: "pending", limit: 1 }),
        profile.functionApprovals.list(),
        profile.tasks.list({ limit: 1 }),
        profile.memory.list({ limit: 1 }),
        profile.quota.usage(),
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
        pendingApprovals: pending.total + functions.length,
        index,
        storage,
      };
      const rows = [
        ["version", brain.version],
        ["data", brain.home],
        ["server", describeServer(server)],
        ["model", models.summary],
        [
          "profile",
          `${profile.username} (${identity.role}), mode ${identity.mode}, trust ${identity.trustLevel}`,
        ],
        [
          "memories",
          `${String(memories.total)}, ${String(index.embedded)} of ${formatCount(index.items, "record")} embedded`,
        ],
        ["storage", formatStorage(storage)],
        ["open tasks", String(tasks.total)],
        [
          "waiting",
          pending.total + functions.length === 0
            ? "nothing"
            : `${formatCount(pending.total + functions.length, "approval")}: mh approvals list`,
        ],
      ];
      output.result(value, table(rows));
    });
};

/** Formats usage as "12 MB of 20 GB, 345 of 1,000,000 files", in decimal units. */
function formatStorage({ bytes, maxBytes, files, maxFiles }: StorageUsage): string {
  const number = new Intl.NumberFormat("en");
  return `${formatBytes(bytes)} of ${formatBytes(maxBytes)}, ${number.format(files)} of ${formatCount(maxFiles, "file")}`;
}
