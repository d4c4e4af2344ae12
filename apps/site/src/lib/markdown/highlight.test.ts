import { expect, it } from "vitest";
import { highlight } from "./highlight.ts";

it("colors keywords, strings, numbers and comments, and keeps every character of the code", async () => {
  const code = 'const a: string = "x"; // why\nreturn 1;\n';
  const pieces = await highlight("ts", code);
  expect(pieces?.map(({ text }) => text).join("")).toBe(code);
  const inked = pieces?.filter(({ ink }) => ink !== undefined).map(({ text, ink }) => `${ink ?? ""} ${text}`);
  expect(inked).toEqual(
    expect.arrayContaining(["keyword const", 'string "x"', "comment // why", "number 1"]),
  );
});

it.each(["json", "python", "css", "html", "jsx"])("has a parser for %s", async (language) => {
  expect(await highlight(language, "1")).toBeDefined();
});

it("leaves code in an unknown language unchanged", async () => {
  expect(await highlight("brainfuck", "+++")).toBeUndefined();
  expect(await highlight("", "x")).toBeUndefined();
});
