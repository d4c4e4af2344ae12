import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { fsEdit } from "../fs-edit/skill.ts";
import { fsAppend } from "./skill.ts";

const harness = skillHarness();

it("refuses words that are not a row of a table, and takes a row", async () => {
  await harness.call(fsAppend, { path: "budget.csv", text: "month,category,amount" });
  await expect(
    harness.call(fsAppend, { path: "budget.csv", text: "november food 412.30" }),
  ).rejects.toMatchObject({
    code: "INVALID_ARGS",
    message:
      "out/budget.csv is a table with the columns month, category, amount, and this text is no row of it.",
  });
  await harness.call(fsAppend, { path: "budget.csv", text: "November,food,412.30" });
});

describe("fs_append", () => {
  it("creates a missing file", async () => {
    const { assessment, outputs, narrative } = await harness.call(fsAppend, {
      path: "journal.md",
      text: "first",
    });
    expect(assessment).toMatchObject({
      risk: "low",
      paths: ["out/journal.md"],
      grant: { pathPrefix: "out/journal.md" },
      preview: { title: "Create out/journal.md?", diff: { before: "", after: "first" } },
    });
    expect(outputs).toEqual({
      path: "out/journal.md",
      bytes: 5,
      created: true,
      lineBreak: false,
      added: "first",
    });
    expect(narrative).toBe("Created out/journal.md.");
  });

  it("appends a line to an existing file", async () => {
    await writeFile(join(harness.folder("out"), "journal.md"), "first");
    const { assessment, outputs, narrative } = await harness.call(fsAppend, {
      path: "journal.md",
      text: "second",
    });
    expect(assessment.preview).toMatchObject({
      title: "Add to the end of out/journal.md?",
      facts: [
        { label: "path", value: "out/journal.md" },
        { label: "file", value: "5 bytes now" },
      ],
    });
    expect(outputs).toEqual({
      path: "out/journal.md",
      bytes: 12,
      created: false,
      lineBreak: true,
      added: "second",
    });
    expect(narrative).toBe("Added “second” to the end of out/journal.md.");
    expect(await harness.read("out/journal.md")).toBe("first\nsecond");
  });

  it.each([["inbox/x.md"], ["docs/x.md"]])("has high risk outside out/: %s", async (path) => {
    expect((await harness.call(fsAppend, { path, text: "x" })).assessment.risk).toBe("high");
  });

  it.each([
    ["a document", '{\n  "port": 8080\n}\n', '{"host": "here"}'],
    ["lines of values", '{"a": 1}\n{"a": 2}\n', "a third"],
  ])("keeps a JSON file readable: %s", async (_what, before, text) => {
    await writeFile(join(harness.folder("out"), "data.json"), before);
    await expect(harness.call(fsAppend, { path: "data.json", text })).rejects.toMatchObject({
      code: "INVALID_ARGS",
      suggestions: ["Say which value to set, like: set port to 8080 in out/data.json."],
    });
    expect(await harness.read("out/data.json")).toBe(before);
  });

  it.each([
    ["a value to lines of values", '{"a": 1}\n', '{"a": 2}', '{"a": 1}\n{"a": 2}'],
    ["text to a file that is no JSON", "not yet", "second", "not yet\nsecond"],
  ])("appends %s", async (_what, before, text, after) => {
    await writeFile(join(harness.folder("out"), "data.json"), before);
    await harness.call(fsAppend, { path: "data.json", text });
    expect(await harness.read("out/data.json")).toBe(after);
  });

  it.each([
    ["first", "second"],
    ["first\n", "second\n"],
    ["first\n", "\nsecond"],
    ["", "second"],
    ["second\n", "second\n"],
  ])("is undone exactly: %j and %j", async (before, text) => {
    await writeFile(join(harness.folder("out"), "journal.md"), before);
    const { outputs } = await harness.call(fsAppend, { path: "journal.md", text });
    const [back, ...more] = fsAppend.reverse?.({ args: { path: "journal.md", text }, outputs }) ?? [];
    expect([back?.skill, more]).toEqual(["fs_edit", []]);
    await harness.call(fsEdit, back?.args ?? {});
    expect(await harness.read("out/journal.md")).toBe(before);
  });

  it("is not undone where text was added since", async () => {
    const path = join(harness.folder("out"), "journal.md");
    await writeFile(path, "first");
    const { outputs } = await harness.call(fsAppend, { path: "journal.md", text: "second" });
    await writeFile(path, "first\nsecond\nthird");
    const [back] = fsAppend.reverse?.({ args: { path: "journal.md", text: "second" }, outputs }) ?? [];
    await expect(harness.call(fsEdit, back?.args ?? {})).rejects.toMatchObject({
      code: "INVALID_ARGS",
      message: "out/journal.md does not end with “second” any more, so nothing was removed.",
    });
    expect(await harness.read("out/journal.md")).toBe("first\nsecond\nthird");
  });

  it("rejects a folder and empty text", async () => {
    await mkdir(join(harness.folder("out"), "notes"));
    for (const args of [{ path: "notes", text: "x" }, { path: "a.md", text: "" }, { path: "a.md" }]) {
      await expect(harness.call(fsAppend, args)).rejects.toMatchObject({ code: "INVALID_ARGS" });
    }
  });
});

describe("an item of a list", () => {
  it.each([
    ["- milk\n- eggs\n", "butter", "- butter"],
    ["1. one\n2. two\n", "three\nfour", "3. three\n4. four"],
    ["1. one\n1. two\n", "three", "1. three"],
    ["- [x] wash\n", "dry", "- [ ] dry"],
    ["Notes\n  a\n  b\n", "c", "  c"],
    ["- milk\n", "- eggs", "- eggs"],
    ["- milk\n\nRegards\n", "Ada", "Ada"],
    ["plain\n", "text", "text"],
  ])("begins like the last one of %j", async (before, text, added) => {
    await writeFile(join(harness.folder("out"), "list.md"), before);
    const { outputs } = await harness.call(fsAppend, { path: "list.md", text, asItem: true });
    expect(outputs).toMatchObject({ added });
    expect(await harness.read("out/list.md")).toContain(`\n${added}`);
    await harness.call(fsAppend, { path: "list.md", text: "as it is" });
    expect(await harness.read("out/list.md")).toMatch(/\nas it is\n?$/u);
  });

  it("is taken away again with its mark", async () => {
    await writeFile(join(harness.folder("out"), "rules.md"), "1. one\n2. two\n");
    const args = { path: "out/rules.md", text: "three", asItem: true };
    const { outputs } = await harness.call(fsAppend, args);
    const [call] = fsAppend.reverse?.({ args, outputs }) ?? [];
    expect(call?.args).toMatchObject({ action: "remove", end: "3. three" });
  });
});
