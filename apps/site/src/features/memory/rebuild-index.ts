import type { App } from "../shell/app.svelte.ts";

/** How often a rebuild's progress is asked for, in milliseconds. */
const LOOK_AGAIN_MS = 500;

/** Has the index made anew; the feed shows how far it is. Resolves at its end. Throws as the API does. */
export async function rebuildIndex({ api, feed }: Pick<App, "api" | "feed">): Promise<void> {
  let status = await api.rebuildIndex();
  feed.index = status;
  // A quick rebuild is over before the feed looks again: it would never tell of the end.
  while (status.rebuilding) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    status = await api.index();
    feed.index = status;
  }
}
