import { onMount } from "svelte";

/** Whether the page is alive: false as the server draws it, true once the browser has taken over. */
export class Hydrated {
  current = $state(false);

  constructor() {
    onMount(() => {
      this.current = true;
    });
  }
}
