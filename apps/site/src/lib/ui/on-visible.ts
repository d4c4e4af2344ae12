import type { Attachment } from "svelte/attachments";

/** Calls back once, when the element first comes near the window. */
export function onVisible(onSeen: () => void): Attachment {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        onSeen();
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  };
}
