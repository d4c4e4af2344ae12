import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Notices } from "./notices.svelte.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const texts = ({ items }: Notices): string[] => items.map(({ text }) => text);

it("removes a notice after some seconds, one with an action later", () => {
  const notices = new Notices();
  notices.show("It did not work.", { variant: "danger" });
  notices.show("Deleted.", { action: { label: "Undo", run: () => undefined } });
  vi.advanceTimersByTime(9_000);
  expect(texts(notices)).toEqual(["Deleted."]);
  vi.advanceTimersByTime(12_000);
  expect(texts(notices)).toEqual([]);
});

it("keeps notices only while somebody points at them", () => {
  const notices = new Notices();
  let isHovered = true;
  notices.isHeld = () => isHovered;
  notices.show("One");
  notices.show("Two");
  // The pointer rests on the button that dismisses the first, which leaves the page with it.
  notices.dismiss(1);
  vi.advanceTimersByTime(9_000);
  expect(texts(notices)).toEqual(["Two"]);
  isHovered = false;
  vi.advanceTimersByTime(9_000);
  expect(texts(notices)).toEqual([]);
});

it("reports that a notice disappeared without its action", () => {
  const notices = new Notices();
  const log: string[] = [];
  const undo = { label: "Undo", run: () => void log.push("undone") };
  notices.show("One", { action: undo, onclose: () => void log.push("closed") });
  notices.show("Two", { action: undo, onclose: () => void log.push("closed") });
  const [first] = notices.items;
  if (first) notices.choose(first);
  expect(log).toEqual(["undone"]);
  vi.advanceTimersByTime(21_000);
  expect(log).toEqual(["undone", "closed"]);
});

it("shows at most the three newest notices", () => {
  const notices = new Notices();
  for (const text of ["1", "2", "3", "4"]) notices.show(text);
  expect(texts(notices)).toEqual(["2", "3", "4"]);
});

it("replaces a notice with a newer one about the same item, with its action", () => {
  const notices = new Notices();
  const undo = { label: "Undo", run: () => undefined };
  notices.show("Disabled.", { about: "func-1", action: undo });
  notices.show("Renamed.", { about: "func-2", action: undo });
  notices.show("Deleted.", { about: "func-1", action: undo });
  expect(texts(notices)).toEqual(["Renamed.", "Deleted."]);
});

it("shows the same text once, but keeps every offer to undo", () => {
  const notices = new Notices();
  notices.show("Saved your name.");
  notices.show("Saved your name.");
  expect(texts(notices)).toEqual(["Saved your name."]);
  const undo = { label: "Undo", run: () => undefined };
  notices.show("Deleted a.md.", { about: "file-1", action: undo });
  notices.show("Deleted a.md.", { about: "file-2", action: undo });
  expect(texts(notices)).toEqual(["Saved your name.", "Deleted a.md.", "Deleted a.md."]);
});
