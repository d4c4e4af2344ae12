import { expect, it } from "vitest";
import type { NewFunction } from "../contract/function.ts";
import { allCalledFunctions, callableName, combinedGrants } from "./called-functions.ts";
import type { FunctionsPort } from "./functions-port.ts";
import { openBeforeEach } from "./testing/open-before-each.ts";
import { ADA, failureOf } from "./testing/open-test-functions.ts";

let functions: FunctionsPort;
openBeforeEach((opened) => ({ functions } = opened));

it("names functions as code calls them", () => {
  expect(["weekly-report", "2nd-draft", "a--b", "plan-7", "end-"].map(callableName)).toEqual([
    "weeklyReport",
    "_2ndDraft",
    "aB",
    "plan7",
    "end",
  ]);
});

it("unites grants, and confines the whole to hosts only where every part is confined", () => {
  expect(combinedGrants(["fs_read"], [["http_get", "host:a.example"]])).toEqual([
    "fs_read",
    "http_get",
    "host:a.example",
  ]);
  const confined = ["http_get", "host:a.example", "secret:KEY"];
  expect(combinedGrants(confined, [["http_get", "host:b.example"]])).toEqual([
    "http_get",
    "host:a.example",
    "host:b.example",
    "secret:KEY",
  ]);
  expect(combinedGrants(confined, [["http_get"]])).toEqual(["http_get", "secret:KEY"]);
});

it("refuses a caller that is confined to hosts a function that is not, or that reaches others", async () => {
  const source = "export function main(): null { return null; }";
  const code = (name: string, grants: string[]): NewFunction => ({
    name,
    title: name,
    summary: "",
    steps: [],
    skillsUsed: [],
    code: { language: "typescript", entry: "main", tests: "", source, grants },
  });
  await functions.saveFunction(code("anywhere", ["http_get"]), ADA);
  await functions.saveFunction(code("elsewhere", ["http_get", "host:b.example"]), ADA);
  await functions.saveFunction(code("there", ["http_get", "host:a.example"]), ADA);
  const grants = ["http_get", "host:a.example"];
  const refused = async (callable: string) =>
    String(
      await failureOf(
        allCalledFunctions({ name: "caller", source: `skills.function.${callable}({})`, grants }, functions),
      ),
    );
  expect(await refused("anywhere")).toContain("needs the grants host:*");
  expect(await refused("elsewhere")).toContain("needs the grants host:b.example");
  expect(await refused("there")).toBe("undefined");
});
