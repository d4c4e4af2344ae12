// The library's own types of the component that we use. It carries none for the component itself but its source, and
// svelte-check reads no source of components outside of the site.
import type { SvelteComponent } from "svelte";
import type {
  VirtualizerHandle,
  VirtualizerProps,
} from "../../apps/site/node_modules/virtua/lib/svelte/Virtualizer.type.js";

export type { VirtualizerHandle };
export declare const Virtualizer: new <Item>(drawn: {
  target: unknown;
  props?: VirtualizerProps<Item>;
}) => SvelteComponent<VirtualizerProps<Item>> & VirtualizerHandle;
