// Where surfaces have their memory looked after: their one door to core/heap.
export { collectWhenQuiet } from "@metahuman/core/heap/collect-when-quiet";
