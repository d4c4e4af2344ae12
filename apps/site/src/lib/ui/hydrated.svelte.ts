import { onMount } from "svelte";
import { allHydrated } from "./hydration.ts";

/** Whether the page is hydrated: false on the server, true once the component has mounted and all parts are hydrated. */
export class Hydrated {
  current = $state(false);

  constructor() {
    onMount(() => {
      void allHydrated().then(() => (this.current = true));
    });
  }
}
