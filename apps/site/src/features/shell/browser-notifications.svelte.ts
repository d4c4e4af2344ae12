import { copy } from "./copy.ts";
import type { Approval } from "@metahuman/core/contract/approval";
import type { RunSummary } from "@metahuman/core/contract/run";
import type { App } from "./app.svelte.ts";

/** Earlier notices have a badge and are not shown again. */
const openedAt = new Date(performance.timeOrigin).toISOString();
const shown = new Set<string>();

/** Whether this browser shows notifications of this page. */
class NotificationPermissionState {
  /** Absent until it is read; a server has none. */
  current = $state<NotificationPermission | "unsupported">();

  read(): void {
    this.current = typeof Notification === "undefined" ? "unsupported" : Notification.permission;
  }

  /** Requests the browser's permission, which requires a click. */
  async request(): Promise<void> {
    this.current = await Notification.requestPermission();
  }
}

/** The instance of the page. */
export const notificationPermission = new NotificationPermissionState();

/** Shows notices that came while the page was open, and passes them to the browser if that is allowed. */
export function showNotices(app: App): void {
  const fresh = (app.feed.notices ?? []).filter(
    ({ id, visibleAt }) => visibleAt > openedAt && !shown.has(id),
  );
  for (const { id, title, body, link, urgency } of fresh.toReversed()) {
    shown.add(id);
    const address = link ?? "/automations";
    if (urgency !== "low")
      app.toasts.show(title, { action: { label: "Show", run: () => location.assign(address) } });
    void notify(title, { body, tag: id, address });
  }
}

const isPageHidden = (): boolean => document.visibilityState === "hidden";

/**
 * Notifies a person who is looking at something else that runs wait for approval. The page itself shows a badge. `isHidden` tells whether
 * the page was hidden when the approvals came.
 */
export function notifyOfApprovals(approvals: readonly Approval[], isHidden: boolean = isPageHidden()): void {
  const fresh = approvals.filter(({ id, createdAt }) => createdAt > openedAt && !shown.has(id));
  for (const { id, preview } of fresh) {
    shown.add(id);
    if (isHidden) void notify(copy.runWaits, { body: preview.title, tag: id, address: "/approvals" });
  }
}

/** The same for runs that wait for an answer. */
export function notifyOfQuestions(runs: readonly RunSummary[], isHidden: boolean = isPageHidden()): void {
  for (const { conversationId, pending, updatedAt } of runs) {
    if (pending?.kind !== "question") continue;
    const { question } = pending;
    const tag = `${conversationId} ${updatedAt}`;
    if (updatedAt <= openedAt || shown.has(tag)) continue;
    shown.add(tag);
    if (isHidden) void notify(copy.runAsks, { body: question, tag, address: `/?c=${conversationId}` });
  }
}

interface NotificationContent {
  body: string;
  /** Two windows with the same tag show one notification. */
  tag: string;
  /** The page that a click opens. */
  address: string;
}

async function notify(title: string, { body, tag, address }: NotificationContent): Promise<void> {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  try {
    new Notification(title, { body, tag }).addEventListener("click", () => {
      window.focus();
      location.assign(address);
    });
  } catch (error) {
    // Mobile browsers show only the notifications of a service worker.
    if (!(error instanceof TypeError)) throw error;
    const registration = await navigator.serviceWorker.getRegistration();
    await registration?.showNotification(title, { body, tag, data: address });
  }
}
