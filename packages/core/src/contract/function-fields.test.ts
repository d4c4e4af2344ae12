import { expect, it } from "vitest";
import { differingFields } from "./function-fields.ts";

it("names the fields in which two functions differ", () => {
  const content = { title: "Weigh the post", skillsUsed: ["fs_write"], steps: ["Weigh it."] };
  expect(differingFields(content, { ...content, skillsUsed: [] })).toEqual(["skills"]);
  expect(differingFields(content, content)).toEqual([]);
});
