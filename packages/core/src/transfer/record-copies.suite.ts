import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Schedule } from "../contract/schedule.ts";
import type { Task } from "../contract/task.ts";
import type { FunctionsPort } from "../functions/functions-port.ts";
import { ADA, SANDWICH } from "../functions/testing/open-test-functions.ts";
import { AlreadyExistsError, InvalidArgsError } from "../errors/request-errors.ts";
import type { ListedRecords, RecordStorage } from "../memory/store/record-storage.ts";
import type { OpenedMemory } from "../memory/open-memory.ts";
import { observe, USER_ORIGIN } from "../memory/testing/open-test-memory.ts";
import { newRecords } from "../memory/testing/test-record.ts";
import { entryKind } from "./entry-kind.ts";
import { createRecordExport } from "./record-export.ts";
import { digestOf, type RecordCopies } from "./record-copies.ts";

/** A profile with records in one storage, and an empty one in the same kind of storage. */
export interface RecordCopiesHarness {
  copies: RecordCopies;
  empty: RecordCopies;
  memory: OpenedMemory;
  tasks: RecordStorage<Task>;
  schedules: ListedRecords<Schedule>;
  functions: FunctionsPort;
  close(): Promise<void>;
}

const FEW = 20;
/** More memories than a storage yields at a time. */
const MANY = 500;

/** Tests that records can be moved whole between storages. */
export function describeRecordCopies(name: string, openHarness: () => Promise<RecordCopiesHarness>): void {
  describe(`copies of records ${name}`, () => {
    let harness: RecordCopiesHarness;
    beforeEach(async () => {
      harness = await openHarness();
      const { memory, tasks, schedules, functions } = harness;
      await addMemories(FEW);
      const [gone] = await observe(memory, "The poppy bread needs yeast");
      await memory.memory.keepCopy(gone?.id ?? "");
      await memory.memory.forget(gone?.id ?? "", { runId: "run-1" });
      const note = () => ({ title: "a title", origin: "a place" });
      const [task, oldTask, schedule] = [newRecords.task(), newRecords.task(), newRecords.schedule()];
      await tasks.create({ ...task, status: "done" });
      await tasks.create(oldTask);
      await tasks.archive(oldTask.id, note);
      await schedules.create(schedule);
      const { id } = await functions.saveFunction(SANDWICH, ADA);
      await functions.promoteFunction(id, ADA);
      await functions.updateFunction(id, { version: 1, title: "Kitchen files", steps: ["Write it."] }, ADA);
      const other = await functions.saveFunction(SANDWICH, ADA);
      await functions.deleteFunction(other.id, ADA);
    });
    afterEach(() => harness.close());

    async function addMemories(count: number): Promise<void> {
      await harness.memory.memory.addMany(
        Array.from({ length: count }, (_, n) => ({ type: "observation" as const, content: `walnut ${n}` })),
        USER_ORIGIN,
      );
    }

    async function moved({ from, to }: { from: RecordCopies; to: RecordCopies }): Promise<void> {
      for await (const entries of from.each()) await to.put(entries);
    }

    it("contain every record, archived record, version and proposal", async () => {
      await addMemories(MANY);
      expect((await digestOf(harness.copies)).counts).toEqual({
        "record memory": FEW + MANY,
        "record task": 1,
        "record schedule": 1,
        "record function": 1,
        "archived memory": 2,
        "archived task": 1,
        "archived function": 1,
        version: 2,
        proposal: 1,
      });
    });

    it("are the same in the storage into which they were moved, also when they are moved twice", async () => {
      await addMemories(MANY);
      const before = await digestOf(harness.copies);
      await moved({ from: harness.copies, to: harness.empty });
      await moved({ from: harness.copies, to: harness.empty });
      expect(await digestOf(harness.empty)).toEqual(before);
      expect(await digestOf(harness.copies)).toEqual(before);
    });

    it("are the same after an export and an import as files, which adds nothing twice", async () => {
      const files = createRecordExport(harness.copies);
      const target = createRecordExport(harness.empty);
      const outcomes = async (apply: boolean) => {
        const found = new Set<string>();
        for await (const { path, text } of files.all()) {
          expect(entryKind(path)).not.toHaveProperty("reason");
          found.add(await target.add({ path, bytes: Buffer.from(text) }, { apply }));
        }
        return [...found];
      };
      expect(await outcomes(false)).toEqual(["added"]);
      expect((await digestOf(harness.empty)).counts).toEqual({});
      expect(await outcomes(true)).toEqual(["added"]);
      expect(await digestOf(harness.empty)).toEqual(await digestOf(harness.copies));
      expect(await outcomes(true)).toContain("unchanged");
      expect(await digestOf(harness.empty)).toEqual(await digestOf(harness.copies));
    });

    it("refuse files that are not records", async () => {
      const { add } = createRecordExport(harness.empty);
      const bytes = Buffer.from("{ half a rec");
      for (const path of ["memory/tasks/active/task-x.json", "memory/index/memory.db", "profile.json"])
        await expect(add({ path, bytes }, { apply: true })).rejects.toBeInstanceOf(InvalidArgsError);
    });

    it("overwrite nothing that differs", async () => {
      await moved({ from: harness.copies, to: harness.empty });
      for await (const entries of harness.copies.each())
        for (const entry of entries) {
          if (entry.part !== "record" || entry.kind !== "schedule") continue;
          const changed = {
            ...entry,
            body: { ...newRecords.schedule(), id: entry.id, title: "Another one" },
          };
          await expect(harness.empty.put([changed])).rejects.toBeInstanceOf(AlreadyExistsError);
        }
      expect(await digestOf(harness.empty)).toEqual(await digestOf(harness.copies));
    });
  });
}
