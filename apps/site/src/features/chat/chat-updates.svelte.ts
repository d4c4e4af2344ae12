import type { ChatState } from "./chat-state.svelte.ts";
import type { Conversations } from "./conversations.svelte.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import { watchLater, watch } from "../../lib/ui/watch.svelte.ts";

/**
 * Shows what other windows and programs ask and rename, and what became of the conversation while the server was away. To be
 * called while a component is set up.
 */
export function followUpdates(feed: Feed, chat: ChatState, list: Conversations): void {
  watch(
    () => [feed.activeRuns ?? [], feed.latestRuns ?? []] as const,
    ([active, latest]) => chat.hear(active, latest),
  );
  watchLater(
    () => JSON.stringify(feed.latestRuns),
    () => void list.refresh(),
  );
  watchLater(
    () => feed.connection === "lost",
    () => {
      if (feed.connection === "live") void chat.retry();
    },
  );
  watchLater(
    () => feed.changes?.conversations,
    () => {
      void list.refresh();
      void chat.refresh();
    },
  );
}
