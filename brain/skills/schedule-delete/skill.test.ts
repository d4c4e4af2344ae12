import { expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { remind } from "../remind/skill.ts";
import { scheduleDelete } from "./skill.ts";

const harness = skillHarness();

it("names no next moment of what it deleted, and its time zone only to a person in another one", async () => {
  const { outputs } = await harness.call(remind, { text: "heat the sauna", when: "every Thursday at 19:30" });
  const deleted = await harness.call(scheduleDelete, { id: String(outputs["id"]) });
  const narrate = (timeZone: string) => scheduleDelete.narrate(deleted.outputs, { timeZone, locale: "en" });
  const text = "Deleted “Heat the sauna” every Thursday at 19:30";
  expect(narrate("Europe/Oslo")).toBe(`${text}. It can be restored from the archive.`);
  expect(narrate("Asia/Tokyo")).toContain(`${text} (Europe/Oslo).`);
});

it("deletes the schedule whose title has the words, if it is the only one", async () => {
  const { outputs } = await harness.call(remind, {
    text: "ask Noor about Sunday",
    when: "every Friday at 9",
  });
  await harness.call(remind, { text: "ask Bo about the cake", when: "every Friday at 9" });
  await expect(harness.call(scheduleDelete, { id: "ask" })).rejects.toMatchObject({ code: "INVALID_ARGS" });
  const deleted = await harness.call(scheduleDelete, { id: "noor" });
  expect(deleted.outputs).toMatchObject({ id: outputs["id"] });
  expect(deleted.assessment).toMatchObject({ record: { id: outputs["id"] } });
});

it("says that the task of a single reminder is still open, and nothing of one that is finished", async () => {
  const made = await harness.call(remind, { text: "ring Birgit", when: "2099-11-30 18:00" });
  const { narrative } = await harness.call(scheduleDelete, { id: String(made.outputs["id"]) });
  expect(narrative).toContain("The task “ring Birgit” is still open.");
  const other = await harness.call(remind, { text: "ring Carl", when: "2099-11-30 18:00" });
  const [task] = await harness.ports.tasks.find("ring Carl", { limit: 1 });
  await harness.ports.tasks.edit(task?.task.id ?? "", { status: "done" });
  const deleted = await harness.call(scheduleDelete, { id: String(other.outputs["id"]) });
  expect(deleted.narrative).not.toContain("still open");
});
