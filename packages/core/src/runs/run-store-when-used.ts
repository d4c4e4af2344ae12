import type { RunStore } from "./run-store.ts";

/**
 * A run store that only this process uses, and that `open` opens with its first run. Until then, it answers as an empty one, so that a
 * profile that never uses it pays nothing for it.
 */
export function runStoreWhenUsed(open: () => RunStore): RunStore {
  let opened: RunStore | undefined;
  const use = (): RunStore => (opened ??= open());
  return {
    get holder() {
      return use().holder;
    },
    create: async (request) => await use().create(request),
    hasRun: async (runId) => (await opened?.hasRun(runId)) ?? false,
    run: async (runId) => await use().run(runId),
    request: async (runId) => await use().request(runId),
    runs: async (query) => await use().runs(query),
    unended: async (limit) => (await opened?.unended(limit)) ?? [],
    latest: async (limit) => (await opened?.latest(limit)) ?? [],
    events: async (runId, from, limit) => await use().events(runId, from, limit),
    actionStarted: async (runId, step) => await use().actionStarted(runId, step),

    append: async (claim, bodies) => await use().append(claim, bodies),
    confirmClaim: async (claim) => await use().confirmClaim(claim),
    idleRun: async (runId) => await use().idleRun(runId),
    commitIdle: async (runId, change) => await use().commitIdle(runId, change),

    claim: async (options) => await opened?.claim(options),
    releaseQueued: async () => await opened?.releaseQueued(),
    requestCancel: async (runId) => await use().requestCancel(runId),
    cancelRequests: async () => (await opened?.cancelRequests()) ?? [],
    holdsQueued: async () => (await opened?.holdsQueued()) ?? false,
    renewLease: async () => await opened?.renewLease(),
    interruptLost: async () => (await opened?.interruptLost()) ?? [],
    externalVersion: async () => (await opened?.externalVersion()) ?? 0,

    noteModelCall: async (claim, call) => await use().noteModelCall(claim, call),
    modelCalls: async (runId) => await use().modelCalls(runId),
    giveFeedback: async (runId, feedback) => await use().giveFeedback(runId, feedback),
    feedback: async (runId) => await use().feedback(runId),

    hasConversation: async (id) => (await opened?.hasConversation(id)) ?? false,
    conversation: async (id) => await use().conversation(id),
    conversations: async (query) =>
      (await opened?.conversations(query)) ?? { items: [], nextCursor: null, total: 0 },
    messages: async (conversationId, options) => await use().messages(conversationId, options),
    turns: async (conversationId, options) => await use().turns(conversationId, options),
    saveSummary: async (conversationId, summary) => await use().saveSummary(conversationId, summary),
    renameConversation: async (id, title) => await use().renameConversation(id, title),
    replaceTitle: async (id, titles) => await use().replaceTitle(id, titles),
    pinConversation: async (id, pinned) => await use().pinConversation(id, pinned),
    removeConversation: async (id) => await use().removeConversation(id),

    approval: async (id) => await use().approval(id),
    approvals: async (query) => await use().approvals(query),
    approvalsOf: async (runId) => await use().approvalsOf(runId),
    grants: async () => await use().grants(),
    revokeGrant: async (id) => await use().revokeGrant(id),

    close: async () => await opened?.close(),
  };
}
