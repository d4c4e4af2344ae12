import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StickyScroll } from "./sticky-scroll.svelte.ts";

/** Replaces an element of 600 pixels that scrolls; its last entry begins at `entryTop`. */
class ScrollingElement extends EventTarget {
  clientHeight = 600;
  scrollHeight = 600;
  /** Undefined without entries. */
  entryTop: number | undefined = 0;
  answerEnd = Number.POSITIVE_INFINITY;
  firstElementChild = null;
  #top = 0;

  get scrollTop(): number {
    return this.#top;
  }
  set scrollTop(top: number) {
    this.#top = Math.max(0, Math.min(top, this.scrollHeight - this.clientHeight));
  }
  getBoundingClientRect() {
    return { top: 0, bottom: this.clientHeight };
  }
  querySelector(what: string) {
    if (what === "answer") return { getBoundingClientRect: () => ({ bottom: this.answerEnd - this.#top }) };
    const { entryTop } = this;
    return entryTop === undefined ? null : { getBoundingClientRect: () => ({ top: entryTop - this.#top }) };
  }
  scrollTo({ top }: { top: number }): void {
    this.scrollTop = top;
  }
}

let resized: () => void;
let element: ScrollingElement;
let scroll: StickyScroll;
let detach: () => void;

function grow(scrollHeight: number): void {
  element.scrollHeight = scrollHeight;
  resized();
}

function scrollBy(distance: number): void {
  element.scrollTop += distance;
  element.dispatchEvent(new Event("scroll"));
}

beforeEach(() => {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      constructor(callback: () => void) {
        resized = callback;
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  element = new ScrollingElement();
  scroll = new StickyScroll("article", "answer", "article");
  // @ts-expect-error -- Only the properties for scrolling.
  const attached = scroll.follow(element);
  detach = () => attached?.();
});
afterEach(() => {
  detach();
  vi.unstubAllGlobals();
});

it("follows a page that grows to its end", () => {
  element.entryTop = 700;
  grow(1_000);
  expect(element.scrollTop).toBe(400);
  expect(scroll.sticking).toBe(true);
});

it("shows a page without entries from its beginning, and follows the first entry", () => {
  element.entryTop = undefined;
  grow(900);
  expect([element.scrollTop, scroll.sticking]).toEqual([0, true]);
  element.entryTop = 200;
  grow(1_000);
  expect(element.scrollTop).toBe(200);
});

it("stops at the beginning of an entry that fills the window", () => {
  element.entryTop = 200;
  grow(1_600);
  expect(element.scrollTop).toBe(200);
  expect(scroll.sticking).toBe(false);
});

it("leaves a reader alone who scrolls up, until they return to the end", () => {
  element.entryTop = 700;
  grow(1_000);
  scrollBy(-300);
  expect(scroll.sticking).toBe(false);
  grow(1_100);
  expect(element.scrollTop).toBe(100);
  scrollBy(400);
  expect(scroll.sticking).toBe(true);
  grow(2_400);
  expect(element.scrollTop).toBe(1_800);
});

it("goes to the end when asked, and follows from there", () => {
  element.entryTop = 200;
  grow(1_600);
  scroll.toEnd();
  expect(element.scrollTop).toBe(1_000);
  grow(1_800);
  expect(element.scrollTop).toBe(1_200);
});

it("knows that the end is visible again when what made the last entry long goes away", () => {
  element.entryTop = 500;
  grow(1_000);
  grow(1_300);
  expect([scroll.sticking, scroll.isEndVisible]).toEqual([false, false]);
  grow(1_000);
  expect(scroll.isEndVisible).toBe(true);
});

it("shows the end while the last answer is visible, though there is more below it", () => {
  element.answerEnd = 850;
  grow(1_000);
  scrollBy(200);
  expect(scroll.isEndVisible).toBe(false);
  scrollBy(100);
  expect(scroll.isEndVisible).toBe(true);
});
