import { describe, expect, it } from "vitest";
import { inOrder, withPathFor, withRepeatedReminders, withRepeatedVerbs } from "./reorder.ts";
import { outsideQuotations } from "./rewritable-text.ts";

describe("the order of what is asked", () => {
  it.each([
    ["before you delete a.md, copy it to b.md", "copy a.md to b.md and then delete a.md"],
    ["copy a.md to b.md before deleting it", "copy a.md to b.md and then delete a.md"],
    ["after you've copied a.md to b.md, remove a.md", "copy a.md to b.md and then remove a.md"],
    ["once you have read a.md, delete it", "read a.md and then delete a.md"],
    ["1) list my tasks 2) read a.md", "list my tasks\nread a.md"],
    ["list my tasks -> a.md", "list my tasks and write it to a.md"],
    ["what is the code? it's in a.md", "what is the code in a.md?"],
  ])("follows from %s", (request, ordered) => {
    expect(inOrder(request)).toBe(ordered);
  });

  it.each([
    "do not delete a.md before you copied it",
    "add a task to call Tom before deleting a.md",
    "remember that the bins go out before Tuesday",
    "insert milk before eggs in list.md",
    "replace monday before tuesday with x in a.md",
    'write "before you go, lock up" to a.md',
    "list my tasks",
    "",
  ])("stays unchanged in %s", (request) => {
    expect(inOrder(request)).toBe(request);
  });

  it("stays unchanged in long texts and in texts with large gaps", () => {
    for (const request of [
      `before you delete a.md, ${"read b.md and ".repeat(100)}`,
      `copy a.md before deleting it${" ".repeat(20)}, please`,
    ])
      expect(inOrder(request)).toBe(request);
    // Quoted text may have any length.
    const quoted = `"${"x ".repeat(2_000)}"`;
    expect(inOrder(`before you delete a.md, append ${quoted} to it`)).toContain(quoted);
  });
});

describe("a verb that further parts leave out", () => {
  it.each([
    ['write "one" to a.md, "two" to b.md', 'write "one" to a.md and then write "two" to b.md'],
    ["rename a.md to b.md and c.md to d.md", "rename a.md to b.md and then rename c.md to d.md"],
  ])("is repeated in %s", (request, repeated) => {
    expect(withRepeatedVerbs(request)).toBe(repeated);
  });

  it.each([
    "read a.md and b.md",
    'write "one" to a.md, then list b',
    "list my tasks",
    "read a.md. b.md to c.md",
  ])("is not repeated in %s", (request) => {
    expect(withRepeatedVerbs(request)).toBe(request);
  });
});

describe("a reminder with further times", () => {
  it.each([
    [
      "remind me in 20 minutes to check the rice and in 40 minutes to stop the oven",
      "remind me in 20 minutes to check the rice and remind me in 40 minutes to stop the oven",
    ],
    [
      "remind me tomorrow at 9 to call Bo, on friday at 8 to send the letter",
      "remind me tomorrow at 9 to call Bo and remind me on friday at 8 to send the letter",
    ],
  ])("becomes one reminder for each: %s", (request, repeated) => {
    expect(withRepeatedReminders(request)).toBe(repeated);
  });

  it.each([
    "remind me tomorrow to bring the keys and in the evening to lock the door",
    "remind me to buy milk and to call mum tomorrow",
    'remind me to tell Bo "be there to sing and in 2 days to play"',
    "add a task to call Bo and in 2 days to call Eva",
  ])("is not changed where a part has no whole time of its own: %s", (request) => {
    expect(withRepeatedReminders(request)).toBe(request);
  });
});

describe("quotations", () => {
  it.each(['say "a" and “b”', "it's Tom's and `c`", "«d» '' \"unfinished"])(
    "stay unchanged: %s",
    (request) => {
      expect(outsideQuotations(request, (masked) => masked)).toBe(request);
    },
  );

  it("are not changed by a rewrite", () => {
    expect(outsideQuotations('read "read a.md"', (masked) => masked.replaceAll("read", "show"))).toBe(
      'show "read a.md"',
    );
  });
});

describe("a path that another part names", () => {
  it("replaces a pronoun", () => {
    expect(withPathFor("copy it to b.md", "delete a.md")).toBe("copy a.md to b.md");
    expect(withPathFor("read the file", "delete a.md")).toBe("read a.md");
    expect(withPathFor("read it", "delete the note")).toBe("read it");
  });
});

describe("the places of two texts", () => {
  it.each([
    ["write hi to a.txt and ho to b.txt", 'write "hi" to a.txt and then write "ho" to b.txt'],
    ['write "closed" to a.txt and copy it to b.txt', 'write "closed" to a.txt and copy it to b.txt'],
    [
      "write closed to a.txt and then move that file to b.txt",
      "write closed to a.txt and then move that file to b.txt",
    ],
    ["add milk to a.txt and back it up to b.txt", "add milk to a.txt and back it up to b.txt"],
  ])("are read from %j", (request, read) => {
    expect(inOrder(request)).toBe(read);
  });
});
