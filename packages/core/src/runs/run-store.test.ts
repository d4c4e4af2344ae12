import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { LEASE_MS } from "../database/lease-table.ts";
import { type Database, openDatabase } from "../database/open-database.ts";
import { stateMigrations } from "./migrations.ts";
import { openRunStore, runStoreWhenUsed } from "./open-run-store.ts";
import { describeRunStore, describeSharedRunStore, type RunStoreHarness } from "./run-store.suite.ts";
import { changeIdle, claimNext } from "./store-fixtures.ts";

async function harnessOn(place: "disk" | "memory", { whenUsed = false } = {}): Promise<RunStoreHarness> {
  const folder = mkdtempSync(join(tmpdir(), "runs-"));
  const databases: Database[] = [];
  let time = Date.parse("2026-11-20T09:30:00.000Z");
  return {
    async open() {
      const openNow = () => {
        const path = place === "disk" ? join(folder, "state.db") : ":memory:";
        const database = openDatabase(path, stateMigrations, { title: "the state database" });
        databases.push(database);
        return openRunStore(database, { clock: () => new Date(time) });
      };
      return whenUsed ? runStoreWhenUsed(openNow) : openNow();
    },
    passTime(ms) {
      time += ms;
    },
    async close() {
      databases.forEach((database) => database.close());
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describeRunStore("on disk", () => harnessOn("disk"));
describeRunStore("in memory", () => harnessOn("memory"));
describeRunStore("in memory, opened with the first run", () => harnessOn("memory", { whenUsed: true }));
describeSharedRunStore("on disk", () => harnessOn("disk"));

it("is not opened before it has a run where it is opened when used", async () => {
  const store = runStoreWhenUsed(() => {
    throw new RangeError("opened");
  });
  expect(await store.hasRun("run-1")).toBe(false);
  expect(await store.hasConversation("conversation-1")).toBe(false);
  expect((await store.conversations({ limit: 1 })).total).toBe(0);
  expect(await store.claim({ maxConcurrent: 1, adopt: true })).toBeUndefined();
  await store.renewLease();
  await store.close();
  await expect(store.run("run-1")).rejects.toThrow("opened");
});

it("rejects writes of a process that was suspended for longer than its lease", async () => {
  const folder = mkdtempSync(join(tmpdir(), "frozen-"));
  const path = join(folder, "state.db");
  const script = join(import.meta.dirname, "testing/claiming-process.ts");
  const child = spawn(process.execPath, [script, path], { stdio: ["pipe", "pipe", "inherit"] });
  // Listens at once, because the process may end before the test waits for it.
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  try {
    const { value: runId } = await lines.next();
    if (typeof runId !== "string") throw new Error("the process claimed no run");
    child.kill("SIGSTOP");
    const database = openDatabase(path, stateMigrations, { title: "the state database" });
    const store = openRunStore(database, { clock: () => new Date(Date.now() + LEASE_MS) });
    expect(await store.interruptLost()).toHaveLength(1);
    await changeIdle(store, runId, [{ type: "run-resumed", reason: "asked for", status: "queued" }]);
    const claim = await claimNext(store);
    child.kill("SIGCONT");
    child.stdin.write("go on\n");
    expect((await lines.next()).value).toBe("RunLostError");
    const resumed = { type: "run-resumed", reason: "its turn", status: "running" } as const;
    expect((await store.append(claim, [resumed])).run).toMatchObject({ status: "running", scratchpad: [] });
    database.close();
    await ended;
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
