import { RuleTester } from "eslint";
import { parser } from "typescript-eslint";
import { describe, it } from "vitest";
import { plainNames } from "./plain-names.js";

RuleTester.describe = describe;
RuleTester.it = it;

new RuleTester({ languageOptions: { parser } }).run("plain-names", plainNames, {
  valid: [
    "const runStorage = 1;",
    "const meaning = 2; const mushroom = 3;",
    "const MOST = 1; const MAX_TITLE_LENGTH = 80;",
    // A use of somebody else's name is not a declaration.
    "import { Shelf } from 'library'; Shelf.open();",
  ],
  invalid: [
    { code: "const runShelf = 1;", errors: [{ messageId: "replaced" }] },
    { code: "interface RunMeans {}", errors: [{ messageId: "replaced" }] },
    { code: "type HTTPDoor = string;", errors: [{ messageId: "replaced" }] },
    { code: "function openAftermath() {}", errors: [{ messageId: "replaced" }] },
    { code: "const LONGEST_TITLE = 80;", errors: [{ messageId: "replaced" }] },
    { code: "const open = (shelf: string) => shelf;", errors: [{ messageId: "replaced" }] },
    { code: "const a = 1;", filename: "kin-query.ts", errors: [{ messageId: "replaced" }] },
  ],
});
