import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Toasts } from "./toasts.svelte.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const texts = ({ items }: Toasts): string[] => items.map(({ text }) => text);

it("removes a toast after some seconds, one with an action later", () => {
  const toasts = new Toasts();
  toasts.show("It did not work.", { variant: "danger" });
  toasts.show("Deleted.", { action: { label: "Undo", run: () => undefined } });
  vi.advanceTimersByTime(9_000);
  expect(texts(toasts)).toEqual(["Deleted."]);
  vi.advanceTimersByTime(12_000);
  expect(texts(toasts)).toEqual([]);
});

it("keeps toasts only while somebody points at them", () => {
  const toasts = new Toasts();
  let isHovered = true;
  toasts.isHeld = () => isHovered;
  toasts.show("One");
  toasts.show("Two");
  // The pointer rests on the button that dismisses the first, which leaves the page with it.
  toasts.dismiss(1);
  vi.advanceTimersByTime(9_000);
  expect(texts(toasts)).toEqual(["Two"]);
  isHovered = false;
  vi.advanceTimersByTime(9_000);
  expect(texts(toasts)).toEqual([]);
});

it("reports that a toast disappeared without its action", () => {
  const toasts = new Toasts();
  const log: string[] = [];
  const undo = { label: "Undo", run: () => void log.push("undone") };
  toasts.show("One", { action: undo, onclose: () => void log.push("closed") });
  toasts.show("Two", { action: undo, onclose: () => void log.push("closed") });
  const [first] = toasts.items;
  if (first) toasts.choose(first);
  expect(log).toEqual(["undone"]);
  vi.advanceTimersByTime(21_000);
  expect(log).toEqual(["undone", "closed"]);
});

it("shows at most the three newest toasts", () => {
  const toasts = new Toasts();
  for (const text of ["1", "2", "3", "4"]) toasts.show(text);
  expect(texts(toasts)).toEqual(["2", "3", "4"]);
});

it("replaces a toast with a newer one about the same item, with its action", () => {
  const toasts = new Toasts();
  const undo = { label: "Undo", run: () => undefined };
  toasts.show("Disabled.", { about: "func-1", action: undo });
  toasts.show("Renamed.", { about: "func-2", action: undo });
  toasts.show("Deleted.", { about: "func-1", action: undo });
  expect(texts(toasts)).toEqual(["Renamed.", "Deleted."]);
});

it("shows the same text once, but keeps every offer to undo", () => {
  const toasts = new Toasts();
  toasts.show("Saved your name.");
  toasts.show("Saved your name.");
  expect(texts(toasts)).toEqual(["Saved your name."]);
  const undo = { label: "Undo", run: () => undefined };
  toasts.show("Deleted a.md.", { about: "file-1", action: undo });
  toasts.show("Deleted a.md.", { about: "file-2", action: undo });
  expect(texts(toasts)).toEqual(["Saved your name.", "Deleted a.md.", "Deleted a.md."]);
});
