// Where surfaces find the data root: their one door to core/paths.
export { dataRoot as dataHome, shownPath } from "@metahuman/core/paths/data-root";
