import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConflictError, InvalidArgsError } from "../errors/request-errors.ts";
import type { AuditLog } from "./audit-log.ts";

export const runId = `run-${"0".repeat(25)}1`;

/** An empty audit log with a clock that the test sets. */
export interface AuditLogHarness {
  /** Opens the log as another process would. */
  open(): Promise<AuditLog>;
  setTime(time: Date): void;
  close(): Promise<void>;
}

/** Tests the contract of `AuditLog`. */
export function describeAuditLog(name: string, makeHarness: () => Promise<AuditLogHarness>): void {
  describe(`an audit log ${name}`, () => {
    let harness: AuditLogHarness;
    let log: AuditLog;
    beforeEach(async () => {
      harness = await makeHarness();
      log = await harness.open();
    });
    afterEach(async () => {
      await log.close();
      await harness.close();
    });

    async function write(count: number): Promise<void> {
      for (let n = 1; n <= count; n += 1)
        await log.append({ event: "skill_called", runId, actor: "greg", details: { n } });
    }

    it("links each line to the previous one", async () => {
      expect(await log.verify()).toEqual({ ok: true, lines: 0 });
      await log.append({ event: "signed_in", actor: "greg", surface: "page" });
      await log.append({ event: "skill_called", runId, details: { tool: "fs_write" } });
      const [first, second] = await log.tail(2);
      expect(first).toMatchObject({ seq: 1, event: "signed_in", actor: "greg", previous: "0".repeat(64) });
      expect(second).toMatchObject({
        seq: 2,
        runId,
        details: { tool: "fs_write" },
        previous: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
      });
      expect(await log.verify()).toEqual({ ok: true, lines: 2 });
    });

    it("keeps the order of concurrent calls, and is one chain for all processes", async () => {
      const other = await harness.open();
      const numbers = Array.from({ length: 250 }, (_, n) => n);
      await Promise.all(
        numbers.flatMap((n) => [
          log.append({ event: "counted", actor: "ann", details: { n } }),
          other.append({ event: "counted", actor: "ben", details: { n } }),
        ]),
      );
      const lines = await log.tail(500);
      for (const actor of ["ann", "ben"])
        expect(lines.filter((line) => line.actor === actor).map(({ details }) => details["n"])).toEqual(
          numbers,
        );
      expect(await other.verify()).toEqual({ ok: true, lines: 500 });
      await other.close();
    });

    it("redacts secrets and clips long values", async () => {
      await log.append({
        event: "skill_called",
        details: { password: "hunter2", header: "Bearer abcdef1234567890", content: "a".repeat(1_000_000) },
      });
      const text = JSON.stringify(await log.tail(1));
      expect(text).not.toMatch(/hunter2|abcdef1234567890/);
      expect(text.length).toBeLessThan(10_000);
      const rows = Array.from({ length: 150 }, () => "b".repeat(5_000));
      await log.append({ event: "skill_called", details: { rows } });
      expect(JSON.stringify(await log.tail(1)).length).toBeLessThan(90_000);
    });

    it("rejects an event that could not be read again, and accepts later ones", async () => {
      await expect(log.append({ event: "Not A Name" })).rejects.toThrow();
      await write(1);
      expect(await log.verify()).toEqual({ ok: true, lines: 1 });
    });

    it("writes pending lines before it closes, and rejects later ones", async () => {
      const last = write(1);
      await log.close();
      await last;
      await expect(log.append({ event: "signed_in" })).rejects.toThrow(ConflictError);
      log = await harness.open();
      expect(await log.tail(5)).toHaveLength(1);
    });

    describe("searching", () => {
      beforeEach(async () => {
        for (const date of ["2026-11-18", "2026-11-19", "2026-11-20"]) {
          harness.setTime(new Date(`${date}T12:00:00.000Z`));
          await write(3);
        }
      });

      it("returns pages, newest first, while lines are added", async () => {
        const first = await log.search({ limit: 4 });
        await write(1);
        const second = await log.search({ limit: 4, cursor: first.nextCursor ?? "" });
        const third = await log.search({ limit: 4, cursor: second.nextCursor ?? "" });
        const pages = [first, second, third].map(({ items }) => items.map(({ seq }) => seq));
        expect(pages).toEqual([[9, 8, 7, 6], [5, 4, 3, 2], [1]]);
        expect([first.total, second.total, third.nextCursor]).toEqual([9, 10, null]);
      });

      it("filters by event, run, time and words, and counts", async () => {
        await log.append({
          event: "signed_in",
          actor: "anna",
          details: { note: 'said "skill_called" to the Ölmühle' },
        });
        const seqs = async (query: Parameters<AuditLog["search"]>[0]): Promise<[number[], number]> => {
          const { items, total } = await log.search(query);
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
        expect(await seqs({ query: "%" })).toEqual([[], 0]);
        expect(await seqs({ query: "0".repeat(64) })).toEqual([[], 0]);
      });

      it("rejects an invalid cursor", async () => {
        await expect(log.search({ cursor: "-1" })).rejects.toThrow(InvalidArgsError);
      });

      it("stops when it is aborted", async () => {
        await expect(log.search({ event: "signed_in" }, AbortSignal.abort())).rejects.toThrow(
          expect.objectContaining({ name: "AbortError" }),
        );
      });

      it("returns the last lines, oldest first", async () => {
        expect((await log.tail(4)).map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
        expect(await log.tail(0)).toEqual([]);
        expect(await log.tail(100)).toHaveLength(9);
      });
    });

    describe("streaming", () => {
      it("streams every later line of all processes until it is aborted", async () => {
        await write(2);
        const stop = new AbortController();
        const stream = log.stream(stop.signal);
        await write(1);
        const other = await harness.open();
        const seen: number[] = [];
        for await (const { seq } of stream) {
          seen.push(seq);
          if (seq === 3) await other.append({ event: "signed_in" });
          if (seq === 4) stop.abort();
        }
        expect(seen).toEqual([3, 4]);
        await other.close();
      });

      it("waits for the first line, and ends when aborted while idle", async () => {
        const stop = new AbortController();
        const stream = log.stream(stop.signal)[Symbol.asyncIterator]();
        const first = stream.next();
        await write(1);
        expect((await first).value).toMatchObject({ seq: 1 });
        const next = stream.next();
        stop.abort();
        expect((await next).done).toBe(true);
      });
    });
  });
}
