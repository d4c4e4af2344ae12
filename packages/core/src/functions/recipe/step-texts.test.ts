import { describe, expect, it } from "vitest";
import { readStepTexts } from "./step-texts.ts";

const members = {
  recipe: {
    promptTemplates: [],
    actions: [
      {
        skill: "fs_write",
        args: { path: "members/${name|slug}.md", content: "Berth ${berth}, fee ${fee}" },
        expect: [],
      },
      { skill: "task_create", args: { title: "send ${name} the harbour rules", due: "${due}" }, expect: [] },
      { skill: "fs_append", args: { path: "${file}", text: "${name}, ${berth}" }, expect: [] },
    ],
  },
  parameters: [
    { name: "file", type: "path" as const, description: "", required: false, default: "members/all.md" },
  ],
};
const read = (request: string) => readStepTexts(request, members);

describe("texts of a function's steps in a request", () => {
  it("give their values, and their words stand in place of the quotation", () => {
    const found = read(
      'file out/members/olavi-heino.md saying "Berth D4, fee 310", and "Olavi Heino, D4" in members/all.md',
    );
    expect(Object.fromEntries(found?.values ?? [])).toEqual({ berth: "D4", fee: "310", name: "Olavi Heino" });
    expect(found?.request).toBe("file  saying Berth D4, fee 310, and Olavi Heino, D4 in members/all.md");
    expect(found?.agrees({})).toBe(true);
  });

  it("disagree if two have other values, a path is of another name, or a phrase names somebody else", () => {
    const berth = '"Berth D4, fee 310"';
    const agrees = (more: string, name = "Olavi Heino") => read(`${berth} ${more}`)?.agrees({ name });
    expect(agrees('and "Olavi Heino, E5"')).toBe(false);
    expect(agrees('in members/kalle-salo.md, "Olavi Heino, D4"')).toBe(false);
    expect(agrees('send Matti Aho the harbour rules and append "Olavi Heino, D4"')).toBe(false);
    expect(agrees("in members/kalle-salo.md")).toBe(false);
    expect(agrees("in members/kalle-salo.md", "Kalle Salo")).toBe(true);
  });

  it("are not found in other quotations and paths", () => {
    expect(read('create members.md with the text "Berth D4, paid"')).toBeUndefined();
    expect(read("show members/kalle-salo.md")).toBeUndefined();
    expect(read("new member Kalle Salo in members/kalle-salo.md")?.request).toBe("new member Kalle Salo in ");
  });
});
