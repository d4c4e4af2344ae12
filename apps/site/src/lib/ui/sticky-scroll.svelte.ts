import { tick } from "svelte";
import type { Attachment } from "svelte/attachments";

/** The distance from the end, in pixels, that still counts as the end. */
const NEAR = 48;
/** The name of the highlight of found words; base.css styles it. */
const FOUND = "found";
const MAX_MARKS = 200;

/**
 * Scrolls a growing page to its end while its reader is there, and stops once they scroll away. The last entry is
 * followed until it fills the window: a longer one is read from its beginning.
 */
export class StickyScroll {
  sticking = $state(true);
  /** Whether the end of the content is in the window, also after a person scrolled there. */
  isEndVisible = $state(true);
  #isNearEnd = true;
  #element: Element | undefined;
  /** Whether the reader scrolled to the end, so that entries of any length are followed. */
  #isAtReadersEnd = false;

  readonly #lastEntry: string;
  readonly #lastText: string;
  readonly #anyEntry: string;

  /**
   * `lastEntry` selects the last entry in the element that scrolls, unless it is followed to its end in any case; `lastText`
   * what is read in it; `anyEntry` every entry. A page without entries is read from its beginning.
   */
  constructor(lastEntry: string, lastText: string, anyEntry: string) {
    this.#lastEntry = lastEntry;
    this.#lastText = lastText;
    this.#anyEntry = anyEntry;
  }

  /** For the element that scrolls; its first child is what grows. */
  readonly follow: Attachment = (element) => {
    this.#element = element;
    let top = element.scrollTop;
    const grown = new ResizeObserver(() => {
      this.#lookForEnd(element);
      if (!this.sticking) return;
      if (element.querySelector(this.#anyEntry) === null) {
        element.scrollTop = 0;
        top = 0;
        return;
      }
      const start = this.#isAtReadersEnd ? Number.POSITIVE_INFINITY : this.#startOfLastEntry(element);
      const end = element.scrollHeight - element.clientHeight;
      element.scrollTop = Math.min(start, end);
      top = element.scrollTop;
      this.#lookForEnd(element);
      if (end - start > NEAR) this.sticking = false;
    });
    grown.observe(element);
    if (element.firstElementChild) grown.observe(element.firstElementChild);
    // By the time this is told of our own scrolling the page may have grown again: only going up is leaving.
    const scrolled = () => {
      const moved = element.scrollTop - top;
      top = element.scrollTop;
      this.#lookForEnd(element);
      // A short page is near its end without its reader having gone there.
      if (this.#isNearEnd) {
        if (moved > 0) this.#followToEnd();
      } else if (moved < -1) this.sticking = false;
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      element.removeEventListener("scroll", scrolled);
      this.#element = undefined;
    };
  };

  /** Removes the marks of the words that `show` was given. */
  clearMarks(): void {
    CSS.highlights.delete(FOUND);
  }

  /** From now on, until the reader scrolls away or the last entry fills the window. */
  stick(): void {
    this.sticking = true;
    this.#isAtReadersEnd = false;
  }

  /** Shows an entry from its beginning and stays there; one of `words` (lower case) that is further down comes into sight. */
  async show(id: string, words: readonly string[]): Promise<void> {
    this.sticking = false;
    await tick();
    const entry = document.getElementById(id);
    const element = this.#element;
    if (!entry || !element) return;
    entry.scrollIntoView();
    const { top, bottom } = element.getBoundingClientRect();
    const places = placesOf(words, entry);
    // Without changes to the document, which the page renders itself.
    CSS.highlights.set(FOUND, new Highlight(...places));
    // Text that is folded away has no height.
    const found = places.map((range) => range.getBoundingClientRect()).find(({ height }) => height > 0);
    if (found && found.bottom > bottom) element.scrollTop += found.top - top - element.clientHeight / 3;
  }

  toEnd(): void {
    this.#followToEnd();
    this.#element?.scrollTo({ top: this.#element.scrollHeight });
  }

  #followToEnd(): void {
    this.sticking = true;
    this.#isAtReadersEnd = true;
  }

  #lookForEnd(element: Element): void {
    const { scrollHeight, scrollTop, clientHeight } = element;
    this.#isNearEnd = scrollHeight - scrollTop - clientHeight <= NEAR;
    const end = element.querySelector(this.#lastText)?.getBoundingClientRect().bottom;
    this.isEndVisible =
      this.#isNearEnd || (end !== undefined && end <= element.getBoundingClientRect().bottom);
  }

  /** Where the last entry begins, in pixels from the beginning of what scrolls. */
  #startOfLastEntry(element: Element): number {
    const entry = element.querySelector(this.#lastEntry);
    if (!entry) return Number.POSITIVE_INFINITY;
    return entry.getBoundingClientRect().top - element.getBoundingClientRect().top + element.scrollTop;
  }
}

/** The places of the words in the text of an entry, at most `MAX_MARKS`. */
function placesOf(words: readonly string[], entry: Element): Range[] {
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(entry, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const text = (node.textContent ?? "").toLowerCase();
    for (const word of words) {
      for (let start = text.indexOf(word); start >= 0; start = text.indexOf(word, start + word.length)) {
        const range = document.createRange();
        range.setStart(node, start);
        range.setEnd(node, start + word.length);
        if (ranges.push(range) === MAX_MARKS) return ranges;
      }
    }
  }
  return ranges;
}
