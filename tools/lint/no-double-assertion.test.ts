import { RuleTester } from "eslint";
import { parser } from "typescript-eslint";
import { describe, it } from "vitest";
import { noDoubleAssertion } from "./no-double-assertion.js";

RuleTester.describe = describe;
RuleTester.it = it;

new RuleTester({ languageOptions: { parser } }).run("no-double-assertion", noDoubleAssertion, {
  valid: ["const a = b as unknown;", "const a = [1] as const;"],
  invalid: [{ code: "const a = b as unknown as string;", errors: [{ messageId: "doubleAssertion" }] }],
});
