import { describe, expect, it } from "vitest";
import { withDefaults, contentHoldsSecret } from "./content-rules.ts";

const holding = (source: string, grants: string[] = []) =>
  contentHoldsSecret(
    withDefaults(
      {
        title: "Ask the tide",
        summary: "",
        steps: [],
        skillsUsed: [],
        code: { language: "typescript", entry: "main", source, tests: "", grants },
      },
      "ask-the-tide",
    ),
  );

describe("code that is saved", () => {
  it.each([
    ["names a secret it was granted", "h = { authorization: `Bearer ${secret:TIDE_KEY}` }"],
    ["names one in quotes", `h = { "x-api-key": "\${secret:TIDE_KEY}" }`],
    ["computes something of that name", "const token = text.split(sep)[0]; const secret = [token];"],
    ["takes a parameter of that name", "export function main({ password }: { password: string }) {}"],
  ])("holds no secret when it %s", (_what, source) => {
    expect(holding(source, ["http_get", "secret:TIDE_KEY"])).toBe(false);
  });

  it.each([
    ["in quotes", `const password = "hunter2hunter2";`],
    ["in an address", `const url = "https://tide.example/?access_token=93f1ab77";`],
    ["in a comment", "// the password: hunter2hunter2"],
    ["in a template", "const header = `authorization: 93f1ab77`;"],
    ["of a known form", "const key = id('ghp_abcdefghijklmnopqrstuvwx');"],
  ])("holds one %s", (_where, source) => {
    expect(holding(source)).toBe(true);
  });

  it("contains one among its grants, if it is not a name", () => {
    expect(holding("", ["secret:hunter2hunter2"])).toBe(true);
  });
});
