import { LazyComponent } from "../../lib/ui/lazy-component.svelte.ts";

/** The steps of a trace, whose code is loaded with the first trace that is opened. */
export const traceSteps = new LazyComponent(() => import("./TraceSteps.svelte"));
