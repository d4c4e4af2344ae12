import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MemoryAnswer, TaskAnswer } from "@metahuman/core/contract/answers";
import { ScheduleAnswer } from "@metahuman/core/contract/schedule";
import type { ModelHarness } from "./model-harness.ts";

/** Adds records to the profile of a harness. `harnessOf` is called with each use. Each of the last three returns the id. */
export function harnessRecords(harnessOf: () => Pick<ModelHarness, "owner" | "profile">) {
  const file = (path: string): string => join(harnessOf().profile, path);
  return {
    /** The absolute path of a file in the profile's folder. */
    file,
    async write(path: string, content: string): Promise<void> {
      await mkdir(dirname(file(path)), { recursive: true });
      await writeFile(file(path), content);
    },
    addTask: async (title: string) =>
      TaskAnswer.parse((await harnessOf().owner.post("/api/tasks", { title })).body).task.id,
    /** Adds a reminder for every day at nine. */
    async addReminder(text: string) {
      const body = { what: { kind: "reminder", text }, when: "every day at 9:00" };
      return ScheduleAnswer.parse((await harnessOf().owner.post("/api/schedules", body)).body).schedule.id;
    },
    remember: async (content: string) =>
      MemoryAnswer.parse(
        (await harnessOf().owner.post("/api/memories", { type: "observation", content })).body,
      ).memory.id,
  };
}
