import { describe, expect, it } from "vitest";
import { readEdit } from "./memory-edit.ts";

describe("a memory edited as JSON", () => {
  it("is taken when every field fits", () => {
    expect(readEdit(`{"content": "new words", "tags": ["a"], "importance": 0.4}`)).toEqual({
      edit: { content: "new words", tags: ["a"], importance: 0.4 },
    });
  });

  it.each([
    ["{", "This is not JSON"],
    [`{"importance": 2}`, "importance: "],
    [`{"content": ""}`, "content: "],
    [`{"id": "evt-1"}`, "there is no “id” here: leave it out"],
    [`{"links": [{"id": "x", "relation": "y"}]}`, "links.0.id: "],
    ["[]", "must be an object, not a list"],
  ])("is refused with the reason: %s", (text, reason) => {
    expect(readEdit(text).problem).toContain(reason);
  });
});
