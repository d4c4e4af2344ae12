import { untrack } from "svelte";

/**
 * Calls back with the value of a getter, at first and on each change. State that the callback reads is not tracked. Call it
 * during component initialization.
 */
export function watch<Value>(get: () => Value, callback: (value: Value) => void): void {
  $effect(() => {
    const value = get();
    untrack(() => callback(value));
  });
}

/** Like `watch`, but not for the first value that is known. */
export function watchLater(get: () => unknown, callback: () => void): void {
  let previous: unknown;
  $effect(() => {
    const value = get();
    const hasChanged = previous !== undefined && value !== previous;
    previous = value;
    if (hasChanged) untrack(callback);
  });
}
