import { renewSite } from "../../scripts/bootstrap/prepare.mjs";

/** Before tests that start the programs: what was built is what the sources say now. */
export default renewSite;
