import { expect, it } from "vitest";
import { splitAtLinks } from "./file-links.ts";

const links = (text: string, paths: readonly string[]) =>
  splitAtLinks(text, paths).map(({ text: part, href }) =>
    href === undefined ? part : [part, decodeURIComponent(href).replace("/files?file=", "")],
  );

it("finds the files that a text names, by path or by a unique name", () => {
  expect(links("Created out/pizza.txt (empty).", ["out/pizza.txt"])).toEqual([
    "Created ",
    ["out/pizza.txt", "out/pizza.txt"],
    " (empty).",
  ]);
  expect(links("See pizza.txt.", ["out/pizza.txt"])).toEqual(["See ", ["pizza.txt", "out/pizza.txt"], "."]);
  expect(links("See a.md", ["out/a.md", "out/b/a.md"])).toEqual(["See a.md"]);
});

it("does not match a part of a longer name", () => {
  for (const text of ["my-a.md", "a.md.bak", "in/out/a.md", "out/a.mdx", "a.md/b"])
    expect(links(text, ["out/a.md"])).toEqual([text]);
});

it("matches names literally", () => {
  expect(links("a+b(1).txt and aab1.txt", ["out/a+b(1).txt"])).toEqual([
    ["a+b(1).txt", "out/a+b(1).txt"],
    " and aab1.txt",
  ]);
  expect(links("Makefile", ["out/Makefile"])).toEqual(["Makefile"]);
});

it("links the sections of the settings that messages name", () => {
  expect(links("Add a server under Settings → Models. Settings → Other", [])).toEqual([
    "Add a server under ",
    ["Settings → Models", "/settings#models"],
    ". Settings → Other",
  ]);
  expect(links("It is under Settings → Trust and skills.", [])).toContainEqual([
    "Settings → Trust and skills",
    "/settings#trust",
  ]);
});

it("links the page of functions that messages name", () => {
  expect(links("It applies once you accept it on the Functions page.", [])).toContainEqual([
    "Functions page",
    "/functions",
  ]);
});
