import { RuleTester } from "eslint";
import { describe, it } from "vitest";
import { describedDirectives } from "./described-directives.js";

RuleTester.describe = describe;
RuleTester.it = it;

// The rule examines the comments themselves, which must not disable anything here.
const rules = new RuleTester({ linterOptions: { reportUnusedDisableDirectives: "off" } });

// One that names no rule is refused by `unicorn/no-abusive-eslint-disable`.
rules.run("described-directives", describedDirectives, {
  valid: [
    "// eslint-disable-next-line no-console -- the command line prints\nconsole.log(1);",
    "/* eslint-disable no-console -- the command line prints */",
    "/* eslint-enable no-console */",
    "// why eslint-disable needs a reason",
  ],
  invalid: [
    {
      code: "// eslint-disable-next-line no-console\nconsole.log(1);",
      errors: [{ messageId: "undescribed" }],
    },
    { code: "/* eslint-disable no-console */", errors: [{ messageId: "undescribed" }] },
    { code: "// oxlint-disable-next-line no-console\nlog(1);", errors: [{ messageId: "undescribed" }] },
  ],
});
