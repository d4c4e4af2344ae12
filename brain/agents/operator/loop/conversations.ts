import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import type { RunRequest } from "@metahuman/core/runs/run-store";
import type { RunStorage } from "./run-scheduler.ts";

/** How many conversations in emulation are persistent at hand while the process lives. */
const MAX_FLEETING = 100;

/**
 * The conversation a request belongs to: one of the storage, one that may be gone on with there, or a new one. Throws
 * `NotFoundError` for an id that is nobody's, and to a guest for every conversation but their own.
 */
export async function inConversation(
  asked: RunRequest,
  storage: RunStorage,
  { persistent, ephemeral }: { persistent: RunStorage; ephemeral: RunStorage },
): Promise<RunRequest> {
  const { conversationId, ...request } = asked.request;
  if (conversationId === undefined) return asked;
  if (asked.identity.role === "guest") {
    if (await isGuests(conversationId, asked.identity.username, storage)) return asked;
    throw nowhere();
  }
  if (await storage.store.hasConversation(conversationId)) return asked;
  const other = storage === persistent ? ephemeral : persistent;
  if (!(await other.store.hasConversation(conversationId))) throw nowhere();
  // What was said in emulation is not stored: out of it, a conversation begins anew.
  return storage === persistent ? { ...asked, request } : asked;
}

/** True when the last to speak in it was this guest. */
async function isGuests(
  conversationId: string,
  username: string | undefined,
  { store }: RunStorage,
): Promise<boolean> {
  const [last] = (await store.runs({ conversationId, limit: 1 })).items;
  if (!last) return false;
  const { identity } = await store.request(last.id);
  return identity.role === "guest" && identity.username === username;
}

function nowhere(): NotFoundError {
  return new NotFoundError("There is no such conversation.");
}

/** Nobody deletes what is said in emulation, and a process may live for months. */
export async function forgetOldest({ store }: RunStorage): Promise<void> {
  const { items } = await store.conversations({ limit: MAX_FLEETING + 1 });
  for (const { id } of items.slice(MAX_FLEETING)) {
    const { items: runs } = await store.runs({ conversationId: id, limit: 100 });
    if (runs.every((run) => run.status === "ended")) await store.removeConversation(id);
  }
}
