import { describedDirectives } from "./described-directives.js";
import { importDirection } from "./import-direction.js";
import { noDoubleAssertion } from "./no-double-assertion.js";
import { oneExecutor } from "./one-executor.js";
import { plainNames } from "./plain-names.js";

/** Our own rules, for both linters. @type {import("eslint").ESLint.Plugin} */
export default {
  meta: { name: "ours" },
  rules: {
    "described-directives": describedDirectives,
    "import-direction": importDirection,
    "no-double-assertion": noDoubleAssertion,
    "one-executor": oneExecutor,
    "plain-names": plainNames,
  },
};
