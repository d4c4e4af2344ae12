import type { App } from "../shell/app.svelte.ts";

/** Notices that came before this module was loaded have their badge; they are not shown again. */
const openedAt = new Date(performance.timeOrigin).toISOString();
const shown = new Set<string>();

/** Shows notices that came while the page was open, and passes them to the browser where that is allowed. */
export function showNotices(app: App): void {
  const fresh = (app.feed.notices ?? []).filter(
    ({ id, visibleAt }) => visibleAt > openedAt && !shown.has(id),
  );
  for (const { id, title, body, link, urgency } of fresh.toReversed()) {
    shown.add(id);
    if (urgency !== "low")
      app.notices.show(title, {
        action: { label: "Show", run: () => location.assign(link ?? "/automations") },
      });
    if (typeof Notification !== "undefined" && Notification.permission === "granted")
      new Notification(title, { body, tag: id }).addEventListener("click", () => window.focus());
  }
}
