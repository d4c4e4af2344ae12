import { nextTask } from "./next-task.ts";

/** How long one task hydrates parts before the next task continues, in milliseconds. */
const TASK_MS = 8;

interface Part {
  element: Element;
  hydrate: () => void;
}

const waiting: Part[] = [];
/** Resolves when no part waits any more; absent while none does. */
let working: Promise<void> | undefined;

/** Hydrates a part of the page after those before it, not in this task. */
export function hydrateInTurn(element: Element, hydrate: () => void): void {
  waiting.push({ element, hydrate });
  working ??= hydrateAll();
}

/** Resolves when all parts of the page are hydrated, also those within others. */
export async function allHydrated(): Promise<void> {
  await working;
}

async function hydrateAll(): Promise<void> {
  while (waiting.length > 0) {
    await nextTask();
    const started = performance.now();
    do {
      const part = waiting.shift();
      if (part) hydrateNow(part);
    } while (waiting.length > 0 && performance.now() - started < TASK_MS);
  }
  working = undefined;
}

/** Tells `early-input.js` that the part answers. */
function hydrateNow({ element, hydrate }: Part): void {
  try {
    hydrate();
  } catch (error) {
    // The other parts work without this one.
    reportError(error);
  }
  element.removeAttribute("data-unhydrated");
  document.dispatchEvent(new Event("part-hydrated"));
}
