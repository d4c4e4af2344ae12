import { expect, it } from "vitest";
import { filesIn } from "./mentions.ts";

it("finds paths and names of files, also long ones, as a whole", () => {
  const long = `${"weekly-".repeat(20)}report.md`;
  expect(filesIn(`I wrote ${long} and out/trips/2026/oslo.md; notes/plan.md is new.`)).toEqual([
    long,
    "out/trips/2026/oslo.md",
    "notes/plan.md",
  ]);
  expect(filesIn(`out/a/b/c/${long} was read`)).toEqual([`out/a/b/c/${long}`]);
});

it("finds no file in addresses, libraries and words without an ending", () => {
  expect(filesIn("See https://example.org/a.md, node.js and version 2.4.")).toEqual([]);
});
