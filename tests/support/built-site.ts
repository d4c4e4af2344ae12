import { rebuildSite } from "../../scripts/bootstrap/prepare.mjs";

/** Checks before tests of the built programs that the build is up to date. */
export default rebuildSite;
