import { describe, expect, it } from "vitest";
import { FunctionDraft } from "./function-draft.svelte.ts";
import { FunctionEditorState } from "./function-editor.svelte.ts";
import { functionOf } from "../../lib/testing/fixtures.ts";

const KEPT = functionOf("func-1", {
  tags: ["fence"],
  steps: ["Look.", "Write it.", "Say so."],
  examples: [{ prompt: "note the fence", executionTimeMs: 12 }],
  version: 3,
});

describe("an edited function", () => {
  it("sends only changed fields, and nothing at first", () => {
    const draft = new FunctionDraft(KEPT);
    expect(draft.dirty).toBe(false);
    expect(draft.change()).toEqual({});
    draft.title = " Keep notes ";
    draft.tags = "#fence, garden";
    expect(draft.dirty).toBe(true);
    expect(draft.change()).toEqual({ title: "Keep notes", tags: ["fence", "garden"] });
  });

  it("moves steps up and down, and not beyond the ends", () => {
    const draft = new FunctionDraft(KEPT);
    draft.moveStep(2, -1);
    draft.moveStep(0, -1);
    draft.moveStep(2, 1);
    expect(draft.change()).toEqual({ steps: ["Look.", "Say so.", "Write it."] });
  });

  it("keeps the proof of an example while its words stay, and drops it when they change", () => {
    const draft = new FunctionDraft(KEPT);
    draft.addExample();
    const added = draft.examples[1];
    if (added) added.text = "note the gate";
    expect(draft.change().examples).toEqual([
      { prompt: "note the fence", executionTimeMs: 12 },
      { prompt: "note the gate" },
    ]);
    const first = draft.examples[0];
    if (first) first.text = "note a fence";
    expect(draft.change().examples?.[0]).toEqual({ prompt: "note a fence" });
  });

  it("keeps the draft when it is rebased onto a newer version", () => {
    const draft = new FunctionDraft(KEPT);
    draft.summary = "Two lines.";
    const newer = { ...KEPT, version: 4, title: "Their title" };
    draft.rebase(newer, "changes");
    expect(draft.change()).toEqual({ summary: "Two lines." });
    expect(draft.title).toBe("Their title");
    expect(draft.dirty).toBe(true);

    const whole = new FunctionDraft(KEPT);
    whole.summary = "Two lines.";
    whole.rebase(newer, "all");
    expect(whole.change()).toEqual({ title: "Keep a fence note", summary: "Two lines." });
    whole.take(newer);
    expect(whole.dirty).toBe(false);
  });

  it("has the steps of its calls if it is a recipe, and keeps the words of calls that stay", () => {
    const draft = new FunctionDraft({
      ...KEPT,
      kind: "recipe",
      steps: ["Note the fence.", "Create a task (task_create): title = call ${name}"],
      recipe: {
        promptTemplates: ["fence {name}"],
        actions: [
          { skill: "fs_append", args: { path: "fence.md", text: "${name}" }, expect: [] },
          { skill: "task_create", args: { title: "call ${name}" }, expect: [] },
        ],
      },
    });
    expect(draft.change()).toEqual({});
    const call = draft.recipe.calls[1];
    if (call) call.texts["title"] = "phone ${name}";
    expect(draft.change().steps).toEqual([
      "Note the fence.",
      "task_create (task_create): title = phone ${name}",
    ]);
    draft.recipe.move(1, -1);
    expect(draft.change().steps?.[1]).toBe("Note the fence.");
    draft.recipe.remove(0);
    expect(draft.change().steps).toEqual(["Note the fence."]);
  });

  it("is a guide by default, and code on request", () => {
    const draft = new FunctionDraft();
    draft.title = "New";
    draft.skills = "fs_read, fs_write";
    draft.addStep();
    const step = draft.steps[1];
    if (step) step.text = "Do it.";
    expect(draft.created()).toMatchObject({
      title: "New",
      kind: "guide",
      steps: ["Do it."],
      skillsUsed: ["fs_read", "fs_write"],
    });
    expect(draft.created()).not.toHaveProperty("code");
    draft.kind = "code";
    expect(draft.created()).toMatchObject({ kind: "code", code: { language: "typescript", entry: "main" } });
  });

  it("shows both sides' changes when somebody else saved first", () => {
    const untouched = () => Promise.reject(new Error("nothing is sent"));
    const editing = new FunctionEditorState({ create: untouched, edit: untouched, get: untouched }, KEPT);
    expect(editing.conflict).toBeUndefined();
    editing.draft.summary = "Mine.";
    editing.draft.title = "Mine";
    editing.theirs = { ...KEPT, version: 4, summary: "Theirs.", tags: [] };
    expect(editing.conflict?.both).toEqual(["summary"]);
    expect(editing.conflict?.mine).toContain("Mine.");
    expect(editing.conflict?.theirs).toContain("Theirs.");
  });

  it("starts code from a template with its parameters, and removes those with it", () => {
    const draft = new FunctionDraft(undefined);
    draft.choose("code");
    expect(draft.created()).toMatchObject({ kind: "code", parameters: [{ name: "name" }] });
    draft.choose("guide");
    expect(draft.created()).toMatchObject({ kind: "guide", parameters: [] });
    draft.choose("code");
    draft.source = "export function main() {}";
    draft.choose("guide");
    expect(draft.created().parameters).toHaveLength(1);
  });

  it("sends no invalid calls, and derives the skills of a recipe from its calls", async () => {
    const sent: object[] = [];
    const create = (body: object) => {
      sent.push(body);
      return Promise.reject(new Error("nothing is kept"));
    };
    const untouched = () => Promise.reject(new Error("there is none yet"));
    const editing = new FunctionEditorState({ create, edit: untouched, get: untouched }, undefined);
    const { draft } = editing;
    draft.title = "Look around";
    draft.choose("recipe");
    await editing.save();
    expect([sent, editing.form.problem?.text]).toEqual([[], "Fix the calls before saving."]);
    const [call] = draft.recipe.calls;
    if (call) draft.recipe.choose(call, "fs_list");
    await editing.save();
    expect(sent).toMatchObject([
      { kind: "recipe", skillsUsed: ["fs_list"], recipe: { actions: [{ skill: "fs_list", args: {} }] } },
    ]);
  });

  it("saves changes that do not involve calls that were already invalid", () => {
    const recipe = { promptTemplates: [], actions: [{ skill: "", args: {}, expect: [] }] };
    const draft = new FunctionDraft({ ...KEPT, kind: "recipe", recipe });
    draft.title = "Look";
    expect([draft.callsAreFaulty, draft.change()]).toEqual([false, { title: "Look" }]);
    draft.recipe.add();
    expect(draft.callsAreFaulty).toBe(true);
  });

  it("derives the skills of code from its grants, without secrets", () => {
    const draft = new FunctionDraft(undefined);
    draft.choose("code");
    draft.grant("http_get");
    draft.grants += ", secret:TIDE_KEY";
    expect(draft.inspected.grants).toEqual(["http_get", "secret:TIDE_KEY"]);
    expect(draft.created()).toMatchObject({
      skillsUsed: ["http_get"],
      code: { grants: ["http_get", "secret:TIDE_KEY"] },
    });
  });
});
