import { ArchiveEntry } from "@metahuman/core/contract/http";
import { describe, expect, it } from "vitest";
import { skillHarness } from "../../../tests/support/skill-harness.ts";
import { taskDelete } from "./skill.ts";

const harness = skillHarness();

describe("task_delete", () => {
  it("previews the task, moves it into the archive, and can restore it", async () => {
    const { id } = await harness.ports.tasks.create({
      title: "buy milk",
      due: "2026-11-21",
      description: "two litres",
    });
    const { assessment, outputs, narrative, structured } = await harness.call(taskDelete, { id });
    expect(assessment).toMatchObject({
      risk: "medium",
      grant: {},
      preview: {
        title: 'Delete the task "buy milk"?',
        facts: [
          { label: "description", value: "two litres" },
          { label: "status", value: "to do" },
          { label: "priority", value: "normal" },
          { label: "due", value: "2026-11-21" },
          { label: "afterwards", value: "can be restored from the archive" },
        ],
      },
    });
    expect(outputs["id"]).toBe(id);
    const removed = ArchiveEntry.parse(outputs["removed"]);
    expect(removed).toMatchObject({
      kind: "task",
      title: "buy milk",
      runId: "run-01jd0000000000000000000000",
    });
    expect(narrative).toBe('Deleted the task "buy milk"; it can be restored from the archive.');
    expect(structured).toContain("- task: buy milk");
    await expect(harness.ports.tasks.get(id)).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(await harness.ports.tasks.restore(removed.id)).toMatchObject({ id, description: "two litres" });
  });

  it("fails before approval for an unknown task", async () => {
    const args = taskDelete.parse({ id: "task-20251114T093012123Z-buy-milk" });
    await expect(taskDelete.assess(args, harness.ports)).rejects.toMatchObject({
      code: "TASK_NOT_FOUND",
      suggestions: expect.arrayContaining([expect.stringMatching(/task_find.*task_list/u)]) as unknown,
    });
  });
});
