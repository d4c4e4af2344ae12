import { createSubscriber } from "svelte/reactivity";

const UPDATE_MS = 30_000;

/** One timer updates all times on the page; it runs only while one is shown. */
const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, UPDATE_MS);
  return () => clearInterval(timer);
});

/** The time now; in an effect or a derived value, it is read again every half minute. */
export function currentTime(): Date {
  subscribe();
  return new Date();
}

/** The start of today in the time zone of this browser; updated like `currentTime`. */
export function startOfToday(): number {
  return currentTime().setHours(0, 0, 0, 0);
}
