// How surfaces wait for what may never end: their one door to core/waiting.
export { within } from "@metahuman/core/async/with-timeout";
