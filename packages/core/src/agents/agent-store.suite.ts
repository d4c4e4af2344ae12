import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LEASE_MS } from "../database/lease-table.ts";
import { ConflictError } from "../errors/request-errors.ts";
import { AgentRunLostError, type AgentStore } from "./open-agent-store.ts";

/** An empty agent store with a clock that the test sets. */
export interface AgentStoreHarness {
  /** Opens the store as another process would. */
  open(): Promise<AgentStore>;
  /** Advances the store's clock. */
  passTime(ms: number): void;
  close(): Promise<void>;
}

/** Tests the contract of `AgentStore`. */
export function describeAgentStore(name: string, makeHarness: () => Promise<AgentStoreHarness>): void {
  describe(`a store of agents ${name}`, () => {
    let harness: AgentStoreHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.close());

    it("allows one active run per agent across all processes", async () => {
      const [one, two] = [await harness.open(), await harness.open()];
      const run = await one.begin("librarian", "person");
      await expect(one.begin("librarian", "person")).rejects.toThrow(ConflictError);
      await expect(two.begin("librarian", "schedule")).rejects.toThrow(ConflictError);
      expect(await two.current("librarian")).toEqual(run);
      await one.end(run.id, { status: "finished", summary: "Done." });
      expect(await two.begin("librarian", "schedule")).toMatchObject({ status: "running" });
    });

    it("keeps a run active while its lease is renewed", async () => {
      const [one, two] = [await harness.open(), await harness.open()];
      const run = await one.begin("librarian", "person");
      for (let renewed = 0; renewed < 3; renewed += 1) {
        harness.passTime(LEASE_MS - 1);
        expect(await one.renewLease(run.id)).toBe(false);
      }
      harness.passTime(LEASE_MS - 1);
      expect(await two.current("librarian")).toMatchObject({ id: run.id, status: "running" });
      harness.passTime(1);
      expect(await two.current("librarian")).toBeUndefined();
      expect(await two.last("librarian")).toMatchObject({ id: run.id, status: "interrupted" });
    });

    it("rejects writes for a run whose process paused for longer than its lease", async () => {
      const [frozen, other] = [await harness.open(), await harness.open()];
      const run = await frozen.begin("librarian", "person");
      await frozen.saveMemo(run.id, { through: "evt-1" });
      harness.passTime(LEASE_MS);
      const next = await other.begin("librarian", "person");
      await other.saveMemo(next.id, { through: "evt-2" });
      await expect(frozen.saveMemo(run.id, { through: "evt-0" })).rejects.toThrow(AgentRunLostError);
      await expect(frozen.note(run.id, "info", "late")).rejects.toThrow(AgentRunLostError);
      expect(await frozen.renewLease(run.id)).toBe(true);
      expect(await frozen.end(run.id, { status: "failed", summary: "Late." })).toMatchObject({
        status: "interrupted",
      });
      expect(await other.memo("librarian")).toEqual({ through: "evt-2" });
      expect(await other.log("librarian", { limit: 9 })).toMatchObject({ total: 0 });
      expect(await other.current("librarian")).toMatchObject({ id: next.id });
    });

    it("passes a stop request to the process that executes the run", async () => {
      const [one, two] = [await harness.open(), await harness.open()];
      expect(await two.requestStop("librarian")).toBeUndefined();
      const run = await one.begin("librarian", "person");
      expect(await one.renewLease(run.id)).toBe(false);
      await two.requestStop("librarian");
      expect(await one.renewLease(run.id)).toBe(true);
    });

    it("writes the reason of a failure to the log", async () => {
      const store = await harness.open();
      const run = await store.begin("librarian", "person");
      await store.end(run.id, { status: "failed", summary: "No space left." });
      const { items } = await store.log("librarian", { limit: 9, runId: run.id });
      expect(items).toMatchObject([{ level: "error", message: "No space left." }]);
    });
  });
}
