// Where surfaces find the data root: their one door to core/paths.
export { dataRoot as dataHome } from "@metahuman/core/paths/data-root";
