import { describe, expect, it } from "vitest";
import { revertsOrForbids } from "./should-learn.ts";

describe("a request that revokes or excludes something", () => {
  it.each([
    ["undo that", [{ path: "out/notes/trip.md" }]],
    ["please take that back and show the list", [{ path: "out/a.md" }]],
    ["delete a.md and b.md but not a.md", [{ path: "out/b.md" }]],
    [
      "create a file x.md with the text hello, append world to it and don't read it",
      [{ text: "hello" }, { text: "world" }],
    ],
    ["copy every note without the drafts to archive", [{ from: "notes/x.md" }]],
  ])("is not an example: %s", (goal, args) => {
    expect(revertsOrForbids(goal, args)).toBe(true);
  });

  it.each([
    [
      "remember that Bea never eats nuts and add a task to tell the cook",
      [{ text: "Bea never eats nuts" }, { title: "tell the cook" }],
    ],
    ['create a file x.md with the text "do not enter" and read it', [{ text: "do not enter" }]],
    ["add a task to undo the knots and list my tasks", [{ title: "undo the knots" }, {}]],
    ["copy notes/a.md to archive/a.md and add a task to read it", [{ from: "notes/a.md" }]],
  ])("is an example if the word is a part of a value: %s", (goal, args) => {
    expect(revertsOrForbids(goal, args)).toBe(false);
  });
});
