import { expect, it } from "vitest";
import { verificationSentence } from "./registration-summary.ts";

it("names the first problems of each failed check", () => {
  const detail =
    "line 1: Cannot find name 'fs'. (TS2304)\nline 1: No type. (TS7006)\nline 2: No type. (TS7006)";
  const checks = [
    { name: "syntax", ok: true },
    { name: "types", ok: false, detail },
    { name: "tests", ok: false, detail: "There are no tests, and untested code is not verified." },
  ] as const;
  expect(verificationSentence({ ok: false, checks: [...checks] })).toBe(
    "Checks that fail: types (line 1: Cannot find name 'fs'. (TS2304); line 1: No type. (TS7006)), tests (There are no tests, and untested code is not verified).",
  );
  expect(verificationSentence({ ok: true, checks: [] })).toBe("Every check passes.");
});
