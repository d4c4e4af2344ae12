import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import type { RunStorage } from "./run-scheduler.ts";

/** How many emulation conversations a process keeps. */
const MAX_EPHEMERAL = 100;

/**
 * Resolves the conversation of a request: an existing one in this storage, one that continues from the other storage, or
 * a new one. Throws `NotFoundError` for an unknown id, and for a guest who asks for a conversation of somebody else.
 */
export async function resolveConversation(
  runRequest: RunRequest,
  storage: RunStorage,
  { persistent, ephemeral }: { persistent: RunStorage; ephemeral: RunStorage },
): Promise<RunRequest> {
  const { conversationId, ...request } = runRequest.request;
  if (conversationId === undefined) return runRequest;
  if (runRequest.identity.role === "guest") {
    if (await isOwnedByGuest(conversationId, runRequest.identity.username, storage)) return runRequest;
    throw conversationNotFound();
  }
  if (await storage.store.hasConversation(conversationId)) return runRequest;
  const other = storage === persistent ? ephemeral : persistent;
  if (!(await other.store.hasConversation(conversationId))) throw conversationNotFound();
  // Emulation is never stored, so a conversation that leaves it starts again.
  return storage === persistent ? { ...runRequest, request } : runRequest;
}

/** True when this guest made the conversation's latest request. */
async function isOwnedByGuest(
  conversationId: string,
  username: string | undefined,
  { store }: RunStorage,
): Promise<boolean> {
  const [last] = (await store.runs({ conversationId, limit: 1 })).items;
  if (!last) return false;
  const { identity } = await store.request(last.id);
  return identity.role === "guest" && identity.username === username;
}

function conversationNotFound(): NotFoundError {
  return new NotFoundError("There is no such conversation.");
}

/** Removes the oldest emulation conversations, which only the process's memory holds. */
export async function removeOldestConversations({ store }: RunStorage): Promise<void> {
  const { items } = await store.conversations({ limit: MAX_EPHEMERAL + 1 });
  for (const { id } of items.slice(MAX_EPHEMERAL)) {
    const { items: runs } = await store.runs({ conversationId: id, limit: 100 });
    if (runs.every((run) => run.status === "ended")) await store.removeConversation(id);
  }
}
