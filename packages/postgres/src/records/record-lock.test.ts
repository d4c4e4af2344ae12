import { beforeEach, describe, expect, it } from "vitest";
import { LEASE_MS } from "@metahuman/core/database/lease-table";
import { ConflictError } from "@metahuman/core/errors/request-errors";
import { TimeoutError } from "@metahuman/core/errors/run-errors";
import { type DatabaseHarness, pgliteHarness } from "../testing/harness.ts";
import { openRecordLock, type RecordLock } from "./record-lock.ts";
import { openRecordRows, type RecordRows } from "./record-rows.ts";

let harness: DatabaseHarness;
let open: () => { lock: RecordLock; rows: RecordRows };
beforeEach(async () => {
  harness = await pgliteHarness();
  const profile = harness.newProfile();
  open = () => {
    const lock = openRecordLock(harness.database, profile, "function");
    const rows = openRecordRows(harness.database, profile, { kind: "function", guard: lock.guard });
    return { lock, rows };
  };
});

const row = (id: string) => ({ id, path: `${id}.json`, body: "{}" });

describe("a lock on records", () => {
  it("is held by one process after the other", async () => {
    const order: string[] = [];
    const work = (name: string) => async () => {
      order.push(`${name} begins`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    const locks = [open(), open(), open()];
    await Promise.all(locks.map(({ lock }, n) => lock.hold(work(String(n)))));
    for (let index = 0; index < order.length; index += 2)
      expect(order[index + 1]).toBe(order[index]?.replace("begins", "ends"));
  });

  it("is released when the work fails", async () => {
    const here = open();
    await expect(here.lock.hold(() => Promise.reject(new RangeError("no")))).rejects.toBeInstanceOf(
      RangeError,
    );
    expect(await open().lock.hold(async () => "done")).toBe("done");
  });

  it("is not waited for longer than requested", async () => {
    const [here, elsewhere] = [open(), open()];
    await here.lock.hold(async () => {
      await expect(elsewhere.lock.hold(async () => undefined, { waitMs: 0 })).rejects.toBeInstanceOf(
        TimeoutError,
      );
    });
  });

  it("refuses the writes of a process that was suspended for longer than its lease", async () => {
    const [here, elsewhere] = [open(), open()];
    const refused = here.lock.hold(async () => {
      await here.rows.create([row("func-20260101-aaaaaa")]);
      harness.passTime(LEASE_MS);
      await elsewhere.lock.hold(() => elsewhere.rows.create([row("func-20260101-bbbbbb")]));
      await here.rows.create([row("func-20260101-cccccc")]);
    });
    await expect(refused).rejects.toBeInstanceOf(ConflictError);
    const { rows: all } = await elsewhere.rows.changesAfter(0, 9);
    expect(all.map(({ id }) => id)).toEqual(["func-20260101-aaaaaa", "func-20260101-bbbbbb"]);
  });

  it("refuses writes of a process that does not hold it", async () => {
    await expect(open().rows.create([row("func-20260101-aaaaaa")])).rejects.toThrow("only under their lock");
  });
});
