import type { RunStorage } from "@metahuman/agents/operator/loop/run-scheduler";
import type { OperatorService } from "@metahuman/agents/operator/operator";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { RunStore } from "@metahuman/core/runs/run-store";
import type { Approvals, Conversations, RunReader } from "./brain.ts";

/** The number of runs shown with a conversation. */
const RUNS_OF_CONVERSATION = 200;

export function createRunReader(operator: OperatorService, persistent: RunStorage): RunReader {
  return {
    get: async (runId) => (await operator.storageOf(runId)).store.run(runId),
    inspect: (runId) => operator.inspect(runId),
    list: (query) => persistent.store.runs(query),
    unfinishedRuns: (limit) => persistent.store.unfinishedRuns(limit),
    latest: (limit) => persistent.store.latest(limit),
  };
}

/** The messages of emulation can be read while it lasts, after the stored ones. They are in no list. */
export function createConversations(
  persistent: RunStorage,
  ephemeral: RunStorage,
  onChange: () => void,
): Conversations {
  const storesOf = async (id: string): Promise<[RunStore, ...RunStore[]]> => {
    const [first, ...others] = await Promise.all(
      [persistent, ephemeral].map(async ({ store }) => ((await store.hasConversation(id)) ? [store] : [])),
    ).then((found) => found.flat());
    if (!first) throw new NotFoundError("There is no such conversation.");
    return [first, ...others];
  };
  return {
    list: (query) => persistent.store.conversations(query),
    async get(id) {
      const stores = await storesOf(id);
      const query = { conversationId: id, limit: RUNS_OF_CONVERSATION };
      const [conversation, messages, runs] = await Promise.all([
        stores[0].conversation(id),
        Promise.all(stores.map((store) => store.messages(id))),
        Promise.all(stores.map((store) => store.runs(query))),
      ]);
      const allMessages = messages.flat();
      return {
        conversation: { ...conversation, messageCount: allMessages.length },
        messages: allMessages,
        runs: runs.reverse().flatMap((page) => page.items),
      };
    },
    async edit(id, { title, pinned }) {
      const stores = await storesOf(id);
      for (const store of stores) {
        if (title !== undefined) await store.renameConversation(id, title);
        if (pinned !== undefined) await store.pinConversation(id, pinned);
      }
      onChange();
      return await stores[0].conversation(id);
    },
    async remove(id) {
      for (const store of await storesOf(id)) await store.removeConversation(id);
      onChange();
    },
  };
}

export function createApprovals(
  { store }: RunStorage,
  { audit, actor, onRevoked }: { audit: AuditLog; actor: string; onRevoked: () => void },
): Approvals {
  return {
    list: (query) => store.approvals(query),
    get: (id) => store.approval(id),
    grants: () => store.grants(),
    async revokeGrant(id) {
      const revoked = await store.revokeGrant(id);
      onRevoked();
      await audit.append({ event: "grant_revoked", actor, details: { ...revoked } });
    },
  };
}
