import { untrack } from "svelte";

/**
 * Does something at first and whenever what is read changes, and at no other time: what the act itself reads does not
 * count. To be called while a component is set up.
 */
export function whenChanged<Value>(read: () => Value, act: (value: Value) => void): void {
  $effect(() => {
    const value = read();
    untrack(() => act(value));
  });
}
