import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { InvalidArgsError } from "../errors/request-errors.ts";
import type { AuditLog } from "./audit-log.ts";
import { openAuditLog } from "./open-audit-log.ts";
import { runId, TestLog } from "./testing/test-log.ts";

let test: TestLog;

beforeEach(() => {
  test = new TestLog();
});

afterEach(() => test.remove());

describe("searching", () => {
  beforeEach(() => test.writeThreeDays());

  it("returns pages of all days, newest first, while lines are added", async () => {
    const first = await test.log.search({ limit: 4 });
    await test.write(1);
    const second = await test.log.search({ limit: 4, cursor: first.nextCursor ?? "" });
    const third = await test.log.search({ limit: 4, cursor: second.nextCursor ?? "" });
    const pages = [first, second, third].map(({ items }) => items.map(({ seq }) => seq));
    expect(pages).toEqual([[9, 8, 7, 6], [5, 4, 3, 2], [1]]);
    expect([first.total, second.total, third.nextCursor]).toEqual([9, 10, null]);
  });

  it("filters by event, run, time and words, and counts", async () => {
    await test.log.append({
      event: "signed_in",
      actor: "anna",
      details: { note: 'said "skill_called" to the Ölmühle' },
    });
    const seqs = async (query: Parameters<AuditLog["search"]>[0]): Promise<[number[], number]> => {
      const { items, total } = await test.log.search(query);
      return [items.map(({ seq }) => seq), total];
    };
    expect(await seqs({ event: "signed_in" })).toEqual([[10], 1]);
    expect(await seqs({ event: "skill_called", limit: 2 })).toEqual([[9, 8], 9]);
    expect(await seqs({ runId, limit: 1 })).toEqual([[9], 9]);
    expect(await seqs({ runId: `run-${"1".repeat(26)}` })).toEqual([[], 0]);
    expect(await seqs({ since: "2026-11-19T00:00:00.000Z", until: "2026-11-20T00:00:00.000Z" })).toEqual([
      [6, 5, 4],
      3,
    ]);
    expect(await seqs({ query: "ANNA ölmühle" })).toEqual([[10], 1]);
    expect(await seqs({ query: '"skill_called"' })).toEqual([[10], 1]);
    expect(await seqs({ query: "0000000000000000000000000000000000000000000000000000000000000000" })).toEqual(
      [[], 0],
    );
  });

  it("rejects an invalid cursor", async () => {
    await expect(test.log.search({ cursor: "-1" })).rejects.toThrow(InvalidArgsError);
  });

  it("stops when it is aborted", async () => {
    await expect(test.log.search({ event: "signed_in" }, AbortSignal.abort())).rejects.toThrow(
      expect.objectContaining({ name: "AbortError" }),
    );
  });

  it("returns the last lines, oldest first", async () => {
    expect((await test.log.tail(4)).map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
    expect(await test.log.tail(0)).toEqual([]);
    expect(await test.log.tail(100)).toHaveLength(9);
  });
});

describe("streaming", () => {
  it("streams every later line of all writers and days until it is aborted", async () => {
    await test.write(2);
    const stop = new AbortController();
    const stream = test.log.stream(stop.signal);
    await test.write(1);
    const other = openAuditLog(test.folder, () => new Date("2026-11-21T08:00:00.000Z"));
    const seen: number[] = [];
    for await (const { seq } of stream) {
      seen.push(seq);
      if (seq === 3) await other.append({ event: "signed_in" });
      if (seq === 4) stop.abort();
    }
    expect(seen).toEqual([3, 4]);
    await other.close();
  });

  it("waits for a log that does not exist yet", async () => {
    const stop = new AbortController();
    const stream = test.log.stream(stop.signal)[Symbol.asyncIterator]();
    const first = stream.next();
    await test.write(1);
    expect((await first).value).toMatchObject({ seq: 1 });
    stop.abort();
    expect((await stream.next()).done).toBe(true);
  });

  it("ends at once when aborted while idle", async () => {
    const stop = new AbortController();
    const stream = test.log.stream(stop.signal)[Symbol.asyncIterator]();
    const next = stream.next();
    stop.abort();
    expect((await next).done).toBe(true);
  });
});
