import { createSubscriber } from "svelte/reactivity";

const EVERY_MS = 30_000;

/** One timer for every time on the page; it stands still while none is shown. */
const tick = createSubscriber((update) => {
  const timer = setInterval(update, EVERY_MS);
  return () => clearInterval(timer);
});

/** The time as it passes: what reads it is drawn again every half minute. */
export function currentTime(): Date {
  tick();
  return new Date();
}
