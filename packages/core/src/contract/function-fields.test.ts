import { expect, it } from "vitest";
import { wordingsOf } from "./function.ts";
import { differingFields } from "./function-fields.ts";

it("names the fields in which two functions differ", () => {
  const content = { title: "Weigh the post", skillsUsed: ["fs_write"], steps: ["Weigh it."] };
  expect(differingFields(content, { ...content, skillsUsed: [] })).toEqual(["skills"]);
  expect(differingFields(content, content)).toEqual([]);
});

it("lists templates of the same moment in the order in which they were given", () => {
  const template = (id: string, at: string) => ({ id, template: id, prompt: id, at, by: "ada" });
  const moment = "2026-11-20T10:00:00.000Z";
  const refused = [template("tpl-b", moment), template("tpl-c", moment), template("tpl-d", moment)];
  const taught = [{ ...template("tpl-a", "2026-11-21T10:00:00.000Z"), values: {} }];
  expect(wordingsOf({ taught, refused }).map(({ id }) => id)).toEqual(["tpl-a", "tpl-b", "tpl-c", "tpl-d"]);
});
