import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StorageCorruptError } from "../errors/storage-errors.ts";
import { createTestFunctions } from "../functions/testing/open-test-functions.ts";
import { openTaskFiles } from "../memory/tasks/open-tasks.ts";
import { createTestProfile, observe } from "../memory/testing/open-test-memory.ts";
import { openScheduleFiles } from "../schedules/schedule-files.ts";
import { digestOf, openFileRecordCopies, type RecordCopies } from "./record-copies.ts";
import { describeRecordCopies } from "./record-copies.suite.ts";

/** The records in two places: those of the functions are in a folder of their own. */
function both(one: RecordCopies, other: RecordCopies): RecordCopies {
  return {
    async *each() {
      yield* one.each();
      yield* other.each();
    },
    put: (entries) => one.put(entries),
    compare: (entry) => one.compare(entry),
  };
}

describeRecordCopies("in files", async () => {
  const [profile, target, functions] = await Promise.all([
    createTestProfile(),
    createTestProfile(),
    createTestFunctions(),
  ]);
  const { paths } = profile;
  const clock = () => new Date();
  const tasks = await openTaskFiles({ paths, clock });
  const schedules = await openScheduleFiles({ paths, clock });
  return {
    copies: both(openFileRecordCopies(paths.memory), openFileRecordCopies(functions.paths.memory)),
    empty: openFileRecordCopies(target.paths.memory),
    memory: await profile.open(),
    tasks,
    schedules,
    functions: (await functions.open()).functions.of(),
    async close() {
      tasks.close();
      schedules.close();
      await Promise.all([profile.remove(), target.remove(), functions.remove()]);
    },
  };
});

describe("copies of files", () => {
  it("are refused as a whole when one file cannot be read, and name it", async () => {
    const profile = await createTestProfile();
    const [record] = await observe(await profile.open(), "The walnut cake needs three eggs");
    if (!record) throw new Error("no memory was added");
    await writeFile(profile.pathOf(record), "{ half a rec");
    const copies = openFileRecordCopies(profile.paths.memory);
    await expect(digestOf(copies)).rejects.toBeInstanceOf(StorageCorruptError);
    await expect(digestOf(copies)).rejects.toThrow(
      join("episodic", record.id.slice(4, 8), `${record.id}.json`),
    );
    await profile.remove();
  });
});
