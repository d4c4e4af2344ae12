import type { ChatState } from "./chat-state.svelte.ts";
import type { Conversations } from "./conversations.svelte.ts";
import type { Feed } from "../../lib/live/feed.svelte.ts";
import { whenAnother, whenChanged } from "../../lib/ui/when-changed.svelte.ts";

/**
 * Shows what other windows and programs ask and rename, and what became of the conversation while the server was away. To be
 * called while a component is set up.
 */
export function followNews(feed: Feed, chat: ChatState, list: Conversations): void {
  whenChanged(
    () => [feed.activeRuns ?? [], feed.latestRuns ?? []] as const,
    ([active, latest]) => chat.hear(active, latest),
  );
  whenAnother(
    () => JSON.stringify(feed.latestRuns),
    () => void list.refresh(),
  );
  whenAnother(
    () => feed.connection === "lost",
    () => {
      if (feed.connection === "live") void chat.retry();
    },
  );
  whenAnother(
    () => feed.changes?.conversations,
    () => {
      void list.refresh();
      void chat.refresh();
    },
  );
}
