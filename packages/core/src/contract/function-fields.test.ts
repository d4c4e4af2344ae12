import { expect, it } from "vitest";
import { differingFields } from "./function-fields.ts";

it("names the parts in which two functions differ, and none when they say the same", () => {
  const content = { title: "Weigh the post", skillsUsed: ["fs_write"], steps: ["Weigh it."] };
  expect(differingFields(content, { ...content, skillsUsed: [] })).toEqual(["skills"]);
  expect(differingFields(content, content)).toEqual([]);
});
