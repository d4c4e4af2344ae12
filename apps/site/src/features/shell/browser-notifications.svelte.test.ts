import type { Notice } from "@metahuman/core/contract/notice";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { APPROVAL, ME, MODELS, RUN, summaryOf } from "../../lib/testing/fixtures.ts";
import { App } from "./app.svelte.ts";
import {
  notificationPermission,
  notifyOfApprovals,
  notifyOfQuestions,
  showNotices,
} from "./browser-notifications.svelte.ts";

/** Replaces the browser's notifications. */
class Notifications extends EventTarget {
  static permission: NotificationPermission = "granted";
  static shown: string[] = [];
  static requestPermission = async () => (this.permission = "granted");
  constructor(title: string, { body }: { body: string }) {
    super();
    Notifications.shown.push(`${title}: ${body}`);
  }
}

const LATER = new Date(Date.now() + 60_000).toISOString();
const EARLIER = new Date(performance.timeOrigin - 60_000).toISOString();
let numbered = 0;
function noticeAt(visibleAt: string, title: string): Notice {
  numbered += 1;
  const id = `note-${String(numbered).padStart(26, "0")}`;
  return {
    id,
    title,
    body: "Every Monday.",
    urgency: "normal",
    createdAt: visibleAt,
    visibleAt,
    deliveries: [],
  };
}

let app: App;
const page = { visibilityState: "visible" };

beforeEach(() => {
  app = new App({ me: ME, models: MODELS, version: "1.0.0", theme: "system" });
  Notifications.permission = "granted";
  Notifications.shown = [];
  page.visibilityState = "visible";
  vi.stubGlobal("Notification", Notifications);
  vi.stubGlobal("document", page);
});
afterEach(() => {
  for (const { id } of app.toasts.items) app.toasts.dismiss(id);
  vi.unstubAllGlobals();
});

it("shows each notice that came while the page was open once, on the page and by the browser", () => {
  app.feed.notices = [noticeAt(LATER, "Water the ferns"), noticeAt(EARLIER, "Old news")];
  showNotices(app);
  showNotices(app);
  expect(app.toasts.items.map(({ text }) => text)).toEqual(["Water the ferns"]);
  expect(Notifications.shown).toEqual(["Water the ferns: Every Monday."]);
});

it("shows a notice only on the page where the browser may not show it", () => {
  Notifications.permission = "denied";
  app.feed.notices = [noticeAt(LATER, "Air the attic")];
  showNotices(app);
  expect(app.toasts.items).toHaveLength(1);
  expect(Notifications.shown).toEqual([]);
});

it("reports a run that waits only to somebody who looks at something else", () => {
  const waiting = (id: string) => ({ ...APPROVAL, id, createdAt: LATER });
  notifyOfApprovals([waiting("appr-seen")]);
  page.visibilityState = "hidden";
  notifyOfApprovals([waiting("appr-early")], false);
  notifyOfApprovals([waiting("appr-seen"), waiting("appr-early"), waiting("appr-unseen")]);
  expect(Notifications.shown).toEqual([`A run is waiting for your approval: ${APPROVAL.preview.title}`]);
});

it("reports each question of a run once, to somebody who looks at something else", () => {
  const asking = (question: string, updatedAt: string) =>
    summaryOf(RUN, {
      status: "waiting",
      pending: { kind: "question", question, options: [] },
      updatedAt,
    });
  notifyOfQuestions([asking("Which attic?", LATER)]);
  page.visibilityState = "hidden";
  const later = new Date(Date.parse(LATER) + 1_000).toISOString();
  for (const _ of [1, 2]) notifyOfQuestions([asking("Which cellar?", later)]);
  notifyOfQuestions([asking("Which attic?", LATER), asking("Which barn?", EARLIER), summaryOf(RUN)]);
  expect(Notifications.shown).toEqual(["A run is waiting for your answer: Which cellar?"]);
});

it("knows whether the browser allows notifications, and asks it", async () => {
  Notifications.permission = "default";
  notificationPermission.read();
  expect(notificationPermission.current).toBe("default");
  await notificationPermission.request();
  expect(notificationPermission.current).toBe("granted");
  vi.stubGlobal("Notification", undefined);
  notificationPermission.read();
  expect(notificationPermission.current).toBe("unsupported");
});
