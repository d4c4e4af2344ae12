import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { AlreadyExistsError } from "../../errors/request-errors.ts";
import { NotFoundError } from "../../errors/not-found-errors.ts";
import type { RecordStorage } from "./record-storage.ts";

/** A record for the suite: any kind has an id and a version. */
interface Versioned {
  id: string;
  version?: number | undefined;
}

/** Two processes on one storage of records. */
export interface RecordStorageHarness<Value extends Versioned, Stored = Value> {
  here: RecordStorage<Value, Stored>;
  elsewhere: RecordStorage<Value, Stored>;
  /** A new valid record; every call returns another id. */
  newRecord(): Value;
  /** The record in what the storage returns. */
  recordOf(stored: Stored): Value;
  close(): Promise<void>;
}

/** Tests the storage of one kind of records. */
export function describeRecordStorage<Value extends Versioned, Stored = Value>(
  name: string,
  open: () => Promise<RecordStorageHarness<Value, Stored>>,
): void {
  describe(`the storage of ${name}`, () => {
    let harness: RecordStorageHarness<Value, Stored>;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(() => harness.close());

    const note = () => ({ title: "a title", origin: "a place" });
    const newVersion = (record: Value): Value => ({ ...record, version: (record.version ?? 1) + 1 });
    const foundIn = async (storage: RecordStorage<Value, Stored>, id: string) => {
      const stored = await storage.find(id);
      return stored === undefined ? undefined : harness.recordOf(stored);
    };

    it("returns a record as it was created, to every process", async () => {
      const record = harness.newRecord();
      expect(harness.recordOf(await harness.here.create(record))).toEqual(record);
      expect(await foundIn(harness.here, record.id)).toEqual(record);
      expect(await foundIn(harness.elsewhere, record.id)).toEqual(record);
      expect(await harness.here.find(harness.newRecord().id)).toBeUndefined();
      expect(await harness.here.find("../../etc/passwd")).toBeUndefined();
    });

    it("refuses a second record of the same id and keeps the first", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      await expect(harness.elsewhere.create(newVersion(record))).rejects.toBeInstanceOf(AlreadyExistsError);
      expect(await foundIn(harness.here, record.id)).toEqual(record);
    });

    it("changes the current record, and nothing if the same object is returned", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      await harness.elsewhere.change(record.id, newVersion);
      expect(await foundIn(harness.elsewhere, record.id)).toMatchObject({ version: 2 });
      expect(await foundIn(harness.here, record.id)).toMatchObject({ version: 2 });
      await harness.here.change(record.id, (same) => same);
      expect(await foundIn(harness.elsewhere, record.id)).toMatchObject({ version: 2 });
      expect(await harness.here.change(harness.newRecord().id, newVersion)).toBeUndefined();
    });

    it("changes nothing if the decision fails", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      const refused = harness.here.change(record.id, () => {
        throw new RangeError("no");
      });
      await expect(refused).rejects.toBeInstanceOf(RangeError);
      expect(await foundIn(harness.elsewhere, record.id)).toEqual(record);
      await harness.here.change(record.id, newVersion);
      expect(await foundIn(harness.elsewhere, record.id)).toMatchObject({ version: 2 });
    });

    it("loses no change when two processes change one record at the same time", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      await Promise.all(
        Array.from({ length: 12 }, (_, turn) =>
          (turn % 2 === 0 ? harness.here : harness.elsewhere).change(record.id, newVersion),
        ),
      );
      expect(await foundIn(harness.here, record.id)).toMatchObject({ version: 13 });
    });

    it("moves a record into the archive and back, unchanged", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      const entry = await harness.here.archive(record.id, () => ({ ...note(), runId: "run-1" }));
      expect(entry).toMatchObject({ id: record.id, title: "a title", origin: "a place", runId: "run-1" });
      expect(await harness.elsewhere.find(record.id)).toBeUndefined();
      expect(await harness.elsewhere.change(record.id, newVersion)).toBeUndefined();
      expect(await harness.elsewhere.archive(record.id, note)).toBeUndefined();
      expect(await harness.elsewhere.archived()).toEqual([entry]);
      expect(await harness.elsewhere.readArchived(record.id)).toEqual(record);
      expect(harness.recordOf(await harness.elsewhere.restore(record.id))).toEqual(record);
      expect(await foundIn(harness.here, record.id)).toEqual(record);
      expect(await harness.here.archived()).toEqual([]);
    });

    it("keeps both copies when a record of the same id is archived again", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      await harness.here.archive(record.id, note);
      await harness.elsewhere.create(newVersion(record));
      const second = await harness.elsewhere.archive(record.id, note);
      expect(second?.id).toBe(`${record.id}~2`);
      const archived = await harness.here.archived();
      expect(archived.map(({ id }) => id).toSorted()).toEqual([record.id, `${record.id}~2`]);
      expect(harness.recordOf(await harness.here.restore(`${record.id}~2`))).toMatchObject({ version: 2 });
    });

    it("restores nothing over another record", async () => {
      const record = harness.newRecord();
      await harness.here.create(record);
      await harness.here.archive(record.id, note);
      await harness.here.create(newVersion(record));
      await expect(harness.here.restore(record.id)).rejects.toBeInstanceOf(AlreadyExistsError);
      expect(await foundIn(harness.here, record.id)).toMatchObject({ version: 2 });
      expect(await harness.here.archived()).toHaveLength(1);
    });

    it.each(["evt-20260101T000000000Z-nothing", "../../etc/passwd", ""])(
      "restores and reads nothing for the unknown id %j",
      async (archiveId) => {
        await expect(harness.here.restore(archiveId)).rejects.toBeInstanceOf(NotFoundError);
        await expect(harness.here.readArchived(archiveId)).rejects.toBeInstanceOf(NotFoundError);
      },
    );
  });
}
