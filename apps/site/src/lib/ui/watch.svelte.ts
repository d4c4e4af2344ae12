import { untrack } from "svelte";

/**
 * Does something at first and whenever what is read changes, and at no other time: what the act itself reads does not
 * count. To be called while a component is set up.
 */
export function watch<Value>(read: () => Value, act: (value: Value) => void): void {
  $effect(() => {
    const value = read();
    untrack(() => act(value));
  });
}

/** Does something whenever what is read is another than it was, not when it is first known. Called as `whenChanged`. */
export function watchLater(read: () => unknown, act: () => void): void {
  let known: unknown;
  $effect(() => {
    const value = read();
    const another = known !== undefined && value !== known;
    known = value;
    if (another) untrack(act);
  });
}
