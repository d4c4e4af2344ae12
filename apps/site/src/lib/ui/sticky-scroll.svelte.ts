import { tick } from "svelte";
import type { Attachment } from "svelte/attachments";

/** How near the end, in pixels, still counts as being there. */
const NEAR = 48;

/** Keeps a growing page at its end while its reader is there, and leaves it alone once they scroll away. */
export class StickyScroll {
  sticking = $state(true);
  #element: Element | undefined;

  /** For the element that scrolls; its first child is what grows. */
  readonly follow: Attachment = (element) => {
    this.#element = element;
    let top = element.scrollTop;
    const grown = new ResizeObserver(() => {
      if (!this.sticking) return;
      element.scrollTop = element.scrollHeight;
      top = element.scrollTop;
    });
    grown.observe(element);
    if (element.firstElementChild) grown.observe(element.firstElementChild);
    // By the time this is told of our own scrolling the page may have grown again: only going up is leaving.
    const scrolled = () => {
      const moved = element.scrollTop - top;
      top = element.scrollTop;
      const near = element.scrollHeight - top - element.clientHeight <= NEAR;
      // A short page is near its end without its reader having gone there.
      if (near) this.sticking ||= moved > 0;
      else if (moved < -1) this.sticking = false;
    };
    element.addEventListener("scroll", scrolled, { passive: true });
    return () => {
      grown.disconnect();
      element.removeEventListener("scroll", scrolled);
      this.#element = undefined;
    };
  };

  /** From now on, until the reader scrolls away. */
  stick(): void {
    this.sticking = true;
  }

  /** Shows something on the page and stays there. */
  async show(id: string): Promise<void> {
    this.sticking = false;
    await tick();
    document.getElementById(id)?.scrollIntoView();
  }

  toEnd(): void {
    this.stick();
    this.#element?.scrollTo({ top: this.#element.scrollHeight });
  }
}
