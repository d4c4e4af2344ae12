import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { mayLeave, UnsavedChanges } from "./unsaved-changes.svelte.ts";

let isDirty: boolean;
let unsaved: UnsavedChanges;
let closeEditor: () => void;

beforeEach(() => {
  vi.stubGlobal("window", new EventTarget());
  isDirty = true;
  closeEditor = $effect.root(() => {
    unsaved = new UnsavedChanges(() => isDirty);
  });
  flushSync();
});
afterEach(() => {
  closeEditor();
  vi.unstubAllGlobals();
});

it("lets an editor without changes close at once", async () => {
  isDirty = false;
  expect(await unsaved.ask()).toBe(true);
  expect(unsaved.asking).toBe(false);
});

it("keeps the editor open when the person keeps editing, and closes it when they discard", async () => {
  const first = unsaved.ask();
  expect(unsaved.asking).toBe(true);
  unsaved.keep();
  expect(await first).toBe(false);
  expect(unsaved.asking).toBe(false);
  const second = unsaved.ask();
  unsaved.leave();
  expect(await second).toBe(true);
});

it("keeps asking when Escape is pressed again", async () => {
  const first = unsaved.ask();
  const second = unsaved.ask();
  expect(await first).toBe(false);
  expect(unsaved.asking).toBe(true);
  unsaved.leave();
  expect(await second).toBe(true);
});

it("asks before the page shows something else, while the editor is open", async () => {
  const leaving = mayLeave();
  expect(unsaved.asking).toBe(true);
  unsaved.keep();
  expect(await leaving).toBe(false);
  closeEditor();
  expect(await mayLeave()).toBe(true);
});

it("lets the browser ask before a tab with changes closes", () => {
  const closing = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(closing()).toBe(true);
  isDirty = false;
  expect(closing()).toBe(false);
});
