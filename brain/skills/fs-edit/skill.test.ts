import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { linesOf } from "./edit-text.ts";
import { fsEdit } from "./skill.ts";

const harness = skillHarness();
const LIST = "# Shopping\n- milk\n- eggs\n- oat milk\n";
const put = (text = LIST, name = "list.md") => writeFile(join(harness.folder("out"), name), text);
const edit = (args: Record<string, unknown>) => harness.call(fsEdit, { path: "list.md", ...args });

describe("fs_edit", () => {
  it("replaces words and keeps the old text", async () => {
    await put("Dentist on Tuesday\n");
    const { assessment, outputs, narrative } = await edit({
      action: "replace",
      find: "Tuesday",
      text: "Friday",
    });
    expect(assessment).toMatchObject({
      risk: "medium",
      paths: ["out/list.md"],
      preview: {
        title: "Change out/list.md?",
        diff: { before: "Dentist on Tuesday\n", after: "Dentist on Friday\n" },
      },
    });
    expect(outputs).toMatchObject({ path: "out/list.md", count: 1, archived: { origin: "out/list.md" } });
    expect(narrative).toBe("Replaced “Tuesday” with “Friday” in out/list.md.");
    expect(await harness.read("out/list.md")).toBe("Dentist on Friday\n");
  });

  it("reports a text of several lines so that it can be found again", async () => {
    await put("# Sale\nNet: 655\n");
    const text = "- Total: 655 euro\n  - Fridge sold: 60 euro\n- Net: 595 euro";
    const { narrative } = await edit({ action: "replace", find: "Net: 655", text });
    const [, reported = ""] = /with “(.*)” in/u.exec(narrative) ?? [];
    expect(JSON.parse(`"${reported}"`)).toBe(text);
    await edit({ action: "replace", find: String(JSON.parse(`"${reported}"`)), text: "Net: 655" });
    expect(await harness.read("out/list.md")).toBe("# Sale\nNet: 655\n");
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      "removes the line that is the words",
      LIST,
      { action: "remove", line: "the milk" },
      "# Shopping\n- eggs\n- oat milk\n",
    ],
    [
      "removes the line that has the words",
      LIST,
      { action: "remove", line: "oat" },
      "# Shopping\n- milk\n- eggs\n",
    ],
    [
      "finds a line by another number of a word",
      LIST,
      { action: "remove", line: "egg" },
      "# Shopping\n- milk\n- oat milk\n",
    ],
    [
      "removes an item whose words are found, with its mark",
      "- chalk\n- [ ] tape\n- brushes and tape\n",
      { action: "remove", find: "tape", all: true },
      "- chalk\n- brushes and \n",
    ],
    [
      "removes the last item whose words are found",
      "- chalk\n- tape",
      { action: "remove", find: "tape" },
      "- chalk\n",
    ],
    [
      "removes an item that is found with its mark",
      "- chalk\n- tape\n- brushes\n",
      { action: "remove", find: "- tape" },
      "- chalk\n- brushes\n",
    ],
    ["removes a line by its number", "a\nb\nc\n", { action: "remove", line: 2 }, "a\nc\n"],
    ["removes the last line", "a\nb\nc", { action: "remove", line: -1 }, "a\nb"],
    [
      "removes every line that has the words",
      LIST,
      { action: "remove", line: "milk", all: true },
      "# Shopping\n- eggs\n",
    ],
    [
      "replaces a line",
      "Notes\n- a\n",
      { action: "replace", line: 1, text: "Weekly notes" },
      "Weekly notes\n- a\n",
    ],
    [
      "inserts before a line",
      "- milk\n",
      { action: "insert_before", line: 1, text: "- tea" },
      "- tea\n- milk\n",
    ],
    [
      "inserts after a line that ends the text",
      "- milk",
      { action: "insert_after", line: "milk", text: "- tea" },
      "- milk\n- tea",
    ],
    [
      "keeps line breaks as they are",
      "a\r\nb\r\n",
      { action: "replace", line: 2, text: "c\nd" },
      "a\r\nc\r\nd\r\n",
    ],
    [
      "inserts after a line and keeps every line break, whichever each line has",
      "a\nb\r\nc\n",
      { action: "insert_after", line: "b", text: "x" },
      "a\nb\r\nx\r\nc\n",
    ],
    [
      "replaces a line and keeps its own line break",
      "a\nb\r\nc\n",
      { action: "replace", line: 2, text: "x\ny" },
      "a\nx\r\ny\r\nc\n",
    ],
    [
      "keeps a byte order mark",
      "\uFEFFName\nAnn\n",
      { action: "replace", find: "Ann", text: "Eva" },
      "\uFEFFName\nEva\n",
    ],
    [
      "puts a text with a final line break in place of words inside a line",
      "to: name\nbye\n",
      { action: "replace", find: "name", text: "Ann\n" },
      "to: Ann\nbye\n",
    ],
    [
      "removes an item of its own line",
      LIST,
      { action: "remove", item: "eggs" },
      "# Shopping\n- milk\n- oat milk\n",
    ],
    [
      "removes an item in the middle of an enumeration",
      "Buy: milk, eggs and bread\n",
      { action: "remove", item: "the eggs" },
      "Buy: milk and bread\n",
    ],
    [
      "removes the first item of an enumeration",
      "2 eggs, rice; tea",
      { action: "remove", item: "egg" },
      "rice; tea",
    ],
    [
      "removes the last item of an enumeration",
      "- rice and tea\n",
      { action: "remove", item: "tea" },
      "- rice\n",
    ],
    [
      "replaces whole words only",
      "Tom has Tomatoes\n",
      { action: "replace", find: "Tom", text: "Tim" },
      "Tim has Tomatoes\n",
    ],
    [
      "finds words in other letter case",
      "Dear Sir\n",
      { action: "replace", find: "dear sir", text: "Dear Madam" },
      "Dear Madam\n",
    ],
    [
      "replaces every place",
      "foo and foo\n",
      { action: "replace", find: "foo", text: "bar", all: true },
      "bar and bar\n",
    ],
    [
      "writes signs of a replacement pattern as they are",
      "a\n",
      { action: "replace", find: "a", text: "$&$1" },
      "$&$1\n",
    ],
  ])("%s", async (_what, before, args, after) => {
    await put(before);
    await edit(args);
    expect(await harness.read("out/list.md")).toBe(after);
  });

  it.each<[string, string, Record<string, unknown>, string]>([
    [
      "words that are not there",
      LIST,
      { action: "remove", line: "cheese" },
      "No line of out/list.md has “cheese”.",
    ],
    [
      "words in several lines",
      "- a tea\n- b tea\n",
      { action: "remove", line: "tea" },
      "2 lines of out/list.md have “tea”: “- a tea”, “- b tea”.",
    ],
    [
      "words in several places",
      "foo foo\n",
      { action: "replace", find: "foo", text: "x" },
      "“foo” occurs 2 times in out/list.md: in line 1 “foo foo”.",
    ],
    ["a line beyond the end", "a\n", { action: "remove", line: 3 }, "out/list.md has only 1 line."],
    [
      "no place",
      "a\n",
      { action: "remove" },
      "Name either the words to find, the line, the item, or the end.",
    ],
    ["no new text", "a\n", { action: "replace", find: "a" }, "To replace, give the new text."],
    [
      "an insertion beside words",
      "a\n",
      { action: "insert_after", find: "a", text: "b" },
      "Name the line beside which the text is inserted.",
    ],
  ])("changes nothing for %s", async (_what, before, args, message) => {
    await put(before);
    await expect(edit(args)).rejects.toMatchObject({ code: "INVALID_ARGS", message });
    expect(await harness.read("out/list.md")).toBe(before);
  });

  it("keeps a JSON file readable", async () => {
    await put('{"port": 80}', "a.json");
    await expect(
      edit({ path: "a.json", action: "replace", find: '"', text: "", all: true }),
    ).rejects.toMatchObject({
      code: "INVALID_ARGS",
      suggestions: ["Say which value to set, like: set port to 8080 in out/a.json."],
    });
    expect(await harness.read("out/a.json")).toBe('{"port": 80}');
  });

  it("has high risk outside out/", async () => {
    await writeFile(join(harness.folder("inbox"), "a.md"), "a\n");
    const { assessment } = await edit({ path: "inbox/a.md", action: "remove", line: 1 });
    expect(assessment.risk).toBe("high");
  });
});

describe("lines of a text", () => {
  it("are the whole text, whatever ends them", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "b c", "\r", "\n", "\r\n", "")), (parts) => {
        const text = parts.join("");
        expect(
          linesOf(text)
            .map((line) => line.text + line.ending)
            .join(""),
        ).toBe(text);
      }),
    );
  });

  it("are kept around a removed line, also before a carriage return alone", async () => {
    await put("title\rintro\nmilk\neggs\n");
    await edit({ action: "remove", line: "milk" });
    expect(await harness.read("out/list.md")).toBe("title\rintro\neggs\n");
  });

  it("are split and removed in a file of many lines", async () => {
    const long = `${"x".repeat(900_000)}\ry\n`;
    await put(`${long}${"a\n".repeat(200_000)}`);
    const { outputs } = await edit({ action: "remove", line: "a", all: true });
    expect(outputs).toMatchObject({ count: 200_000 });
    expect(await harness.read("out/list.md")).toBe(long);
  });
});

it.each([
  ["5", "1\n15 apples and 0.5 kg\n", "occurs only within longer words"],
  ["cat", "category\n", "occurs only within longer words"],
])("leaves longer words that contain “%s”", async (find, text, reason) => {
  await put(text);
  await expect(edit({ action: "replace", find, text: "10" })).rejects.toThrow(reason);
  expect(await harness.read("out/list.md")).toBe(text);
});

it.each([
  ["Call Bob, then buy eggs for the cake, and rest\n", "eggs"],
  ["red pens, blue pens and ink\n", "pens"],
])("removes no line of several things of which the item is only a part: %j", async (text, item) => {
  await put(text);
  await expect(edit({ action: "remove", item })).rejects.toMatchObject({ code: "INVALID_ARGS" });
  expect(await harness.read("out/list.md")).toBe(text);
});

it("says which item was removed", async () => {
  await put("milk, eggs and bread");
  expect((await edit({ action: "remove", item: "eggs" })).narrative).toBe("Removed “eggs” from out/list.md.");
});

it("gives up, and changes nothing, when the file changes at every attempt", async () => {
  await put("count 0\n");
  const { files } = harness.ports;
  let others = 0;
  const restless = {
    ...files,
    readText: async (...args: Parameters<typeof files.readText>) => {
      const read = await files.readText(...args);
      others += 1;
      await put(`count ${String(others)}\n`);
      return read;
    },
  };
  await expect(
    harness.call(
      fsEdit,
      { path: "list.md", action: "replace", find: "count", text: "sum" },
      { files: restless },
    ),
  ).rejects.toMatchObject({ code: "CONFLICT" });
  expect(await harness.read("out/list.md")).toBe(`count ${String(others)}\n`);
});

it("keeps every one of several edits at the same time", async () => {
  await put(["one", "two", "three", "four"].join("\n"));
  await Promise.all(
    ["one", "two", "three", "four"].map((find) =>
      edit({ action: "replace", find, text: find.toUpperCase() }),
    ),
  );
  expect(await harness.read("out/list.md")).toBe(["ONE", "TWO", "THREE", "FOUR"].join("\n"));
});

it("names the line most like words that do not occur", async () => {
  await put("[queue]\nretry_minutes = 15\n");
  await expect(edit({ action: "replace", find: "retry_minutes=15", text: "60" })).rejects.toThrow(
    "“retry_minutes=15” does not occur in out/list.md. The line most like it is “retry_minutes = 15”.",
  );
});

it("names the part of a line most like words that do not occur", async () => {
  await put("# Abstract\nSlopes creep slowly (Hansen 2012), faster when wet (Teixeira and Wu 2019).\n");
  await expect(edit({ action: "remove", find: "(Teixeira & Wu 2019)" })).rejects.toThrow(
    "The text most like it is “(Teixeira and Wu 2019).” in line 2.",
  );
  await expect(edit({ action: "remove", find: "a melody for two flutes" })).rejects.toThrow(
    /does not occur in out\/list\.md\.$/u,
  );
});

describe("words within a line", () => {
  const ABSTRACT = "The aspect matters.\n\nKeywords: slope, aspect, snow\n";

  it("names the lines in which words occur several times", async () => {
    await put(ABSTRACT);
    await expect(edit({ action: "replace", find: "aspect", text: "exposure" })).rejects.toThrow(
      "“aspect” occurs 2 times in out/list.md: in line 1 “The aspect matters.”, line 3 “Keywords: slope, aspect, snow”.",
    );
  });

  it.each([["Keywords"], [3], [-1]])("changes only the line %j", async (line) => {
    await put(ABSTRACT);
    const { narrative } = await edit({ action: "replace", line, find: "aspect", text: "exposure" });
    expect(narrative).toBe("Replaced “aspect” with “exposure” in out/list.md.");
    expect(await harness.read("out/list.md")).toBe(ABSTRACT.replace("slope, aspect", "slope, exposure"));
  });

  it("removes words from each line that is meant", async () => {
    await put("- milk (old)\n- eggs (old)\n- milk, fat (old)\n");
    const { outputs } = await edit({ action: "remove", line: "milk", find: " (old)", all: true });
    expect(outputs).toMatchObject({ count: 2, isLine: false, before: [" (old)", " (old)"] });
    expect(await harness.read("out/list.md")).toBe("- milk\n- eggs (old)\n- milk, fat\n");
  });

  it("changes nothing where the line does not have the words, or has them twice", async () => {
    await put("one two\nthree three\n");
    await expect(edit({ action: "remove", line: 1, find: "three" })).rejects.toThrow(
      "“three” does not occur in line 1 of out/list.md.",
    );
    await expect(edit({ action: "remove", line: 2, find: "three" })).rejects.toThrow(
      "“three” occurs 2 times in line 2 of out/list.md.",
    );
  });
});

describe("the boxes of a checklist", () => {
  it("ticks the box of one item and clears it again, and leaves the rest as it is", async () => {
    const list = "# To pack\n- [ ] tent\n- [x] stove\n* [ ] the big lamp\n";
    await put(list);
    const { narrative } = await edit({ action: "check", item: "big lamp" });
    expect(narrative).toBe("Ticked “the big lamp” in out/list.md.");
    expect(await harness.read("out/list.md")).toBe(list.replace("* [ ]", "* [x]"));
    await edit({ action: "uncheck", item: "lamp" });
    expect(await harness.read("out/list.md")).toBe(list);
  });

  it("ticks nothing where there is no box, or it is ticked already", async () => {
    await put("- [x] stove\n- lamp\n");
    await expect(edit({ action: "check", item: "lamp" })).rejects.toThrow(
      "No line of out/list.md has “lamp”.",
    );
    await expect(edit({ action: "check", item: "stove" })).rejects.toThrow("is ticked already");
    await put("lamp\n");
    await expect(edit({ action: "check", item: "lamp" })).rejects.toThrow("has no boxes to tick");
    await put("- lamp\n");
    await expect(edit({ action: "uncheck", item: "lamp" })).rejects.toThrow("has no boxes to tick");
    await edit({ action: "check", find: "lamp" });
    expect(await harness.read("out/list.md")).toBe("- [x] lamp\n");
  });
});
