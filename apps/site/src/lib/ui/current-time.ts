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

/** The moment at which today began, in the time zone of this browser; read again as `currentTime`. */
export function startOfToday(): number {
  return currentTime().setHours(0, 0, 0, 0);
}
