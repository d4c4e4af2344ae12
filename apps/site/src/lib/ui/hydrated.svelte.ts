import { onMount } from "svelte";

/** Whether the page is hydrated: false on the server, true once the component has mounted. */
export class Hydrated {
  current = $state(false);

  constructor() {
    onMount(() => {
      this.current = true;
    });
  }
}
