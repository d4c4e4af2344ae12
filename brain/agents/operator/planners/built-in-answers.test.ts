import { installedSkills } from "@metahuman/skills/installed";
import { describe, expect, it } from "vitest";
import { answer, next } from "./built-in/testing-steps.ts";

describe("the built-in planner, when there is nothing to do", () => {
  it.each([
    "don't delete anything",
    "hello",
    "",
    "what can you do?",
    "asdf qwer",
    "write me a poem about rain",
  ])("answers %j without any step", async (request) => {
    const move = await next(request);
    expect(move).toMatchObject({ kind: "answer", style: "default" });
  });

  it("lists what each skill can be asked with, and how to get a model", async () => {
    const { text } = await answer("what can you do?");
    for (const skill of installedSkills) if (skill.phrases.length > 0) expect(text).toContain(skill.summary);
    expect(text).toContain("Ollama");
  });

  it("shows how, when asked how", async () => {
    const { text } = await answer("how do I delete a file?");
    expect(text).toContain("delete notes/today.md");
    expect(text).not.toContain("List tasks");
  });

  it("says that a poem needs a model, and how to get one", async () => {
    const { text } = await answer("write me a poem about rain");
    expect(text).toMatch(/needs a language model/);
    expect(text).toMatch(/Ollama.*etc\/models\.json/s);
  });

  it("says what was understood, what was not, and what would work", async () => {
    const { text } = await answer("list my tasks and bake a cake");
    expect(text).toContain("“bake a cake”");
    expect(text.match(/^- /gm)).toHaveLength(3);
  });

  it("says so when the skills it would need are not there", async () => {
    const move = await next(
      "read notes/today.md",
      [],
      installedSkills.filter(({ id }) => id === "task_list"),
    );
    expect(move.kind).toBe("answer");
  });
});
