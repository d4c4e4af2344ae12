import type { Recipe } from "@metahuman/core/contract/function";
import type { SkillCard } from "@metahuman/core/contract/skill";
import { describe, expect, it } from "vitest";
import { RecipeDraft } from "./recipe-draft.svelte.ts";

const RECIPE: Recipe = {
  promptTemplates: ["write the {name} list"],
  actions: [
    {
      skill: "fs_write",
      args: { path: "out/${name}.md", content: "", overwrite: true },
      expect: [{ field: "path", is: "equals", value: "out/${name}.md" }],
    },
    { skill: "fs_read", args: { path: "${steps.1.path}" }, expect: [{ field: "content", is: "present" }] },
  ],
};

function card(id: string, inputs: SkillCard["inputs"], outputs: string[]): SkillCard {
  const facts = { summary: "", category: "files", effect: "read", risk: "low", cost: "low" } as const;
  return { id, ...facts, trust: "observe", requiresApproval: false, inputs, outputs, examples: [] };
}
const PATH = { name: "path", type: "string", required: true };
const CARDS = [
  card(
    "fs_write",
    [
      PATH,
      { name: "content", type: "string", required: true },
      { name: "overwrite", type: "boolean", required: false },
    ],
    ["path", "bytes"],
  ),
  card("fs_read", [PATH, { name: "maxBytes", type: "integer", required: false }], ["path", "content"]),
  card(
    "fs_list",
    [PATH, { name: "only", type: "string", required: false, allowed: ["files", "folders"] }],
    [],
  ),
];

function drafted(recipe = RECIPE): RecipeDraft {
  const draft = new RecipeDraft(() => ["name"]);
  draft.take(recipe);
  draft.skills = CARDS;
  return draft;
}

function callAt(draft: RecipeDraft, index: number) {
  const call = draft.calls[index];
  if (!call) throw new Error(`there is no call ${index}`);
  return call;
}

describe("an edited recipe", () => {
  it("stays unchanged until something is edited, whatever its values are", () => {
    const draft = drafted();
    expect(draft.recipe()).toEqual(RECIPE);
    expect(draft.problemCount).toBe(0);
  });

  it("parses values by the skill's schema, with placeholders in any of them", () => {
    const draft = drafted();
    const reading = callAt(draft, 1);
    reading.texts["maxBytes"] = "12";
    expect(draft.recipe().actions[1]?.args).toEqual({ path: "${steps.1.path}", maxBytes: 12 });
    reading.texts["maxBytes"] = "${steps.1.bytes}";
    expect(draft.recipe().actions[1]?.args).toMatchObject({ maxBytes: "${steps.1.bytes}" });
    expect(draft.problemCount).toBe(0);
    reading.texts["maxBytes"] = "many";
    expect(draft.problem(reading, "maxBytes")).toMatch(/Expected integer/);
    reading.texts["maxBytes"] = "";
    expect(draft.recipe()).toEqual(RECIPE);
  });

  it("shows invalid placeholders and values at their field", () => {
    const draft = drafted();
    const [writing, reading] = [callAt(draft, 0), callAt(draft, 1)];
    writing.texts["path"] = "out/${title}.md";
    expect(draft.problem(writing, "path")).toBe("There is no parameter title.");
    reading.texts["path"] = "${steps.2.path}";
    expect(draft.problem(reading, "path")).toMatch(/call 2, which does not come before this one/);
    reading.texts["path"] = "${steps.1.colour}";
    expect(draft.problem(reading, "path")).toBe("fs_write does not return colour.");
    draft.choose(reading, "fs_list");
    reading.texts["only"] = "links";
    expect(draft.problem(reading, "only")).toBe("Choose one of: files, folders.");
  });

  it("shows missing values after an attempt to save", () => {
    const draft = drafted();
    draft.take(undefined);
    expect(draft.problemCount).toBe(1);
    draft.add();
    const call = callAt(draft, 0);
    expect([draft.problemCount, draft.problem(call, "skill")]).toEqual([1, undefined]);
    draft.isSubmitted = true;
    expect(draft.problem(call, "skill")).toBe("Choose a skill.");
    draft.choose(call, "fs_read");
    draft.expectMore(call);
    expect(draft.problem(call, "path")).toBe("Required.");
    expect(draft.problem(call, `then ${call.expect[0]?.key}`)).toBe("Enter a field.");
  });

  it("keeps references to the same call when calls are moved or removed", () => {
    const draft = drafted();
    draft.add();
    draft.choose(callAt(draft, 2), "fs_read");
    callAt(draft, 2).texts["path"] = "${steps.2.path} of ${steps.1.path}";
    draft.move(1, 1);
    expect(draft.recipe().actions.map(({ args }) => args["path"])).toEqual([
      "out/${name}.md",
      "${steps.3.path} of ${steps.1.path}",
      "${steps.1.path}",
    ]);
    expect(draft.problem(callAt(draft, 1), "path")).toMatch(/call 3, which does not come before/);
    draft.move(2, -1);
    draft.remove(1);
    expect(draft.recipe().actions[1]?.args["path"]).toBe("${steps.2.path} of ${steps.1.path}");
    expect(draft.problem(callAt(draft, 1), "path")).toMatch(/call 2, which does not come before/);
    draft.move(0, -1);
    expect(draft.recipe().actions).toHaveLength(2);
  });

  it("keeps only compatible arguments and references when the skill changes", () => {
    const draft = drafted();
    draft.choose(callAt(draft, 0), "fs_read");
    expect(draft.recipe().actions[0]).toEqual({
      skill: "fs_read",
      args: { path: "out/${name}.md" },
      expect: [{ field: "path", is: "equals", value: "out/${name}.md" }],
    });
    draft.choose(callAt(draft, 0), "fs_list");
    expect(draft.recipe().actions[0]?.expect).toEqual([]);
  });

  it("keeps calls of a skill that is no longer installed unchanged", () => {
    const gone: Recipe = {
      promptTemplates: [],
      actions: [{ skill: "fly_to", args: { where: { planet: "moon" } }, expect: [] }],
    };
    const draft = drafted(gone);
    const call = callAt(draft, 0);
    expect(draft.inputsOf(call).shown).toMatchObject([{ name: "where" }]);
    expect(draft.problem(call, "skill")).toBe("The skill fly_to is not installed.");
    call.texts["where"] = `{"planet": "mars"}`;
    expect(draft.recipe().actions[0]?.args).toEqual({ where: { planet: "mars" } });
  });
});
