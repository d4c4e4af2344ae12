import { LazyComponent } from "../ui/lazy-component.svelte.ts";

/**
 * The Markdown renderer of the page, which is loaded with the first answer: most visits start without one. Until it is
 * loaded, answers are shown as plain text.
 */
export const markdown = new LazyComponent(() => import("./Markdown.svelte"));
