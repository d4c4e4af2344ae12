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
export interface RecordStorageBench<Value extends Versioned, Stored = Value> {
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
  open: () => Promise<RecordStorageBench<Value, Stored>>,
): void {
  describe(`the storage of ${name}`, () => {
    let bench: RecordStorageBench<Value, Stored>;
    beforeEach(async () => {
      bench = await open();
    });
    afterEach(() => bench.close());

    const note = () => ({ title: "a title", origin: "a place" });
    const newVersion = (record: Value): Value => ({ ...record, version: (record.version ?? 1) + 1 });
    const foundIn = async (storage: RecordStorage<Value, Stored>, id: string) => {
      const stored = await storage.find(id);
      return stored === undefined ? undefined : bench.recordOf(stored);
    };

    it("returns a record as it was created, to every process", async () => {
      const record = bench.newRecord();
      expect(bench.recordOf(await bench.here.create(record))).toEqual(record);
      expect(await foundIn(bench.here, record.id)).toEqual(record);
      expect(await foundIn(bench.elsewhere, record.id)).toEqual(record);
      expect(await bench.here.find(bench.newRecord().id)).toBeUndefined();
      expect(await bench.here.find("../../etc/passwd")).toBeUndefined();
    });

    it("refuses a second record of the same id and keeps the first", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      await expect(bench.elsewhere.create(newVersion(record))).rejects.toBeInstanceOf(AlreadyExistsError);
      expect(await foundIn(bench.here, record.id)).toEqual(record);
    });

    it("changes the current record, and nothing if the same object is returned", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      await bench.elsewhere.change(record.id, newVersion);
      expect(await foundIn(bench.elsewhere, record.id)).toMatchObject({ version: 2 });
      expect(await foundIn(bench.here, record.id)).toMatchObject({ version: 2 });
      await bench.here.change(record.id, (same) => same);
      expect(await foundIn(bench.elsewhere, record.id)).toMatchObject({ version: 2 });
      expect(await bench.here.change(bench.newRecord().id, newVersion)).toBeUndefined();
    });

    it("changes nothing if the decision fails", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      const refused = bench.here.change(record.id, () => {
        throw new RangeError("no");
      });
      await expect(refused).rejects.toBeInstanceOf(RangeError);
      expect(await foundIn(bench.elsewhere, record.id)).toEqual(record);
      await bench.here.change(record.id, newVersion);
      expect(await foundIn(bench.elsewhere, record.id)).toMatchObject({ version: 2 });
    });

    it("loses no change when two processes change one record at the same time", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      await Promise.all(
        Array.from({ length: 12 }, (_, turn) =>
          (turn % 2 === 0 ? bench.here : bench.elsewhere).change(record.id, newVersion),
        ),
      );
      expect(await foundIn(bench.here, record.id)).toMatchObject({ version: 13 });
    });

    it("moves a record into the archive and back, unchanged", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      const entry = await bench.here.archive(record.id, () => ({ ...note(), runId: "run-1" }));
      expect(entry).toMatchObject({ id: record.id, title: "a title", origin: "a place", runId: "run-1" });
      expect(await bench.elsewhere.find(record.id)).toBeUndefined();
      expect(await bench.elsewhere.change(record.id, newVersion)).toBeUndefined();
      expect(await bench.elsewhere.archive(record.id, note)).toBeUndefined();
      expect(await bench.elsewhere.archived()).toEqual([entry]);
      expect(await bench.elsewhere.readArchived(record.id)).toEqual(record);
      expect(bench.recordOf(await bench.elsewhere.restore(record.id))).toEqual(record);
      expect(await foundIn(bench.here, record.id)).toEqual(record);
      expect(await bench.here.archived()).toEqual([]);
    });

    it("keeps both copies when a record of the same id is archived again", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      await bench.here.archive(record.id, note);
      await bench.elsewhere.create(newVersion(record));
      const second = await bench.elsewhere.archive(record.id, note);
      expect(second?.id).toBe(`${record.id}~2`);
      const archived = await bench.here.archived();
      expect(archived.map(({ id }) => id).toSorted()).toEqual([record.id, `${record.id}~2`]);
      expect(bench.recordOf(await bench.here.restore(`${record.id}~2`))).toMatchObject({ version: 2 });
    });

    it("restores nothing over another record", async () => {
      const record = bench.newRecord();
      await bench.here.create(record);
      await bench.here.archive(record.id, note);
      await bench.here.create(newVersion(record));
      await expect(bench.here.restore(record.id)).rejects.toBeInstanceOf(AlreadyExistsError);
      expect(await foundIn(bench.here, record.id)).toMatchObject({ version: 2 });
      expect(await bench.here.archived()).toHaveLength(1);
    });

    it.each(["evt-20260101T000000000Z-nothing", "../../etc/passwd", ""])(
      "restores and reads nothing for the unknown id %j",
      async (archiveId) => {
        await expect(bench.here.restore(archiveId)).rejects.toBeInstanceOf(NotFoundError);
        await expect(bench.here.readArchived(archiveId)).rejects.toBeInstanceOf(NotFoundError);
      },
    );
  });
}
