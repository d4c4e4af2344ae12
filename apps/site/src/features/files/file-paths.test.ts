import { expect, it } from "vitest";
import { foldersTo, nameOf, parentOf, previewKind, withLineBreaksOf } from "./file-paths.ts";

it("takes paths apart", () => {
  expect(parentOf("out/trips/oslo.md")).toBe("out/trips");
  expect(parentOf("out")).toBe("");
  expect(nameOf("out/trips/oslo.md")).toBe("oslo.md");
  expect(foldersTo("out/trips/oslo")).toEqual(["out", "out/trips", "out/trips/oslo"]);
  expect(foldersTo("")).toEqual([]);
});

it("chooses the preview by the extension, in any case", () => {
  expect(["a.MD", "b.json", "c.tsv", "d.PNG", "Makefile", "e.py", ".csv"].map(previewKind)).toEqual([
    "markdown",
    "json",
    "csv",
    "image",
    "text",
    "text",
    "csv",
  ]);
});

it("keeps the line breaks of a file", () => {
  expect(withLineBreaksOf("a\r\nb\r\n", "a\nc\n")).toBe("a\r\nc\r\n");
  expect(withLineBreaksOf("a\nb\n", "a\nc\n")).toBe("a\nc\n");
  expect(withLineBreaksOf("a\r\nb\n", "a\nb\n")).toBe("a\nb\n");
});
