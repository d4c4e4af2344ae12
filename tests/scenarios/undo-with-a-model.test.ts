import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { harnessBeforeAll } from "../support/before-all.ts";
import type { ChatScript } from "../support/model-server/script.ts";
import { act, finish, type ModelHarness, play, purposeOf } from "../support/model-harness.ts";

// "Undo that" reverses every call of the last request, whoever planned it.

const ABSTRACT = "Noise harms sleep (Hansen 2012). Cars are the cause (Teixeira and Wu 2019).\n";

let harness: ModelHarness;
harnessBeforeAll((opened) => (harness = opened));

const path = () => join(harness.profile, "out/phd/abstract.md");
const abstract = () => readFile(path(), "utf8");

beforeAll(async () => {
  await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
  await mkdir(dirname(path()), { recursive: true });
  await writeFile(path(), ABSTRACT);
});

const remove = (find: string): ChatScript =>
  act("fs_edit", { path: "out/phd/abstract.md", action: "remove", find });

/** Has a model take both citations out. */
async function withoutCitations() {
  await harness.set({ answer: play([remove(" (Hansen 2012)"), remove(" (Teixeira and Wu 2019)"), finish]) });
  const answer = await harness.ask("Take both citations out of out/phd/abstract.md");
  expect(await abstract()).toBe("Noise harms sleep. Cars are the cause.\n");
  await harness.set({ answer: play([act("task_list", {}), finish]) });
  return answer;
}

const planned = () => harness.models.chats().filter((seen) => purposeOf(seen) === "plan").length;

describe("an order to undo the last request", () => {
  it.each([
    "Undo that, I will argue with him.",
    "undo that",
    "Please undo that. It was too early.",
    "Oh wait, undo that please",
    "hmm no, undo that",
  ])("reverses all of its calls without a model: %s", async (order) => {
    const { conversationId } = await withoutCitations();
    const undone = await harness.ask(order, { conversationId });
    expect(await abstract()).toBe(ABSTRACT);
    expect(undone).toMatchObject({ outcome: "answered", planner: "built-in" });
    expect(planned()).toBe(0);
  });

  it("reverses what code changed, without an approval for each change", async () => {
    const create = 'for (const title of ["Shop", "Bake"]) await skills.task_create({ title });';
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "supervised_auto" });
    await harness.set({ answer: play([act("execute_code", { code: create }), finish]) });
    const { conversationId } = await harness.ask("make tasks of what the party needs");
    const undone = await harness.ask("Undo that please, I don't want them", { conversationId });
    expect(undone.actions).toEqual(["task_delete", "task_delete"]);
    await harness.owner.send("PUT", "/api/trust", { trustLevel: "bounded_auto" });
  });

  it.each([
    "Undo that, I meant the second citation only",
    "No, undo the second one",
    "Undo that and write a poem into out/poem.md",
    "Undo that, then list my tasks",
    "Can you undo that?  What did he say?",
  ])("is left to the model if something else is asked: %s", async (order) => {
    const { conversationId } = await withoutCitations();
    await harness.ask(order, { conversationId });
    expect(planned()).toBeGreaterThan(0);
    await writeFile(path(), ABSTRACT);
  });
});
