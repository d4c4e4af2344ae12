import BetterSqlite3 from "better-sqlite3";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { memoryIndexMigrations } from "../memory/index/schema.ts";
import { createTestProfile, found, observe } from "../memory/testing/open-test-memory.ts";
import { homePaths } from "../paths/data-root.ts";
import { TestAccounts } from "../profiles/testing/test-accounts.ts";
import { createOwner } from "../profiles/testing/accounts-harness.ts";
import { stateMigrations } from "../runs/migrations.ts";
import { openRunStore } from "../runs/open-run-store.ts";
import { openDatabase } from "./open-database.ts";

const program = join(import.meta.dirname, "testing", "migrate-and-die.ts");
const title = "the database";

/** A database whose process is killed in the middle of a step has the state after the step before. */
function killIn(step: number, which: string, path: string): void {
  const { signal } = spawnSync(process.execPath, [program, path, which, String(step)], { stdio: "inherit" });
  expect(signal).toBe("SIGKILL");
  const left = new BetterSqlite3(path);
  expect(left.pragma("user_version", { simple: true })).toBe(step - 1);
  left.close();
}

describe("a process that is killed during a migration", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "killed-migrations-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("loses no conversation and no run", async () => {
    const path = join(folder, "state.db");
    const RUN = `run-${"0".repeat(26)}`;
    const CONVERSATION = `conv-${"0".repeat(26)}`;
    const at = "2026-01-01T00:00:00.000Z";
    const earlier = openDatabase(path, stateMigrations.slice(0, 1), { title });
    earlier
      .command("INSERT INTO conversations VALUES (?, 'Fences', 'fences', ?, ?)")
      .run(CONVERSATION, at, at);
    earlier
      .command(
        `INSERT INTO runs (id, conversation_id, goal_folded, status, steps, last_seq, summary, request)
         VALUES (?, ?, 'x', 'ended', 0, 0, '{}', '{}')`,
      )
      .run(RUN, CONVERSATION);
    earlier
      .command("INSERT INTO messages VALUES (?, ?, ?, 'person', 'How many posts?', 'how many posts?', ?)")
      .run(`${RUN}-person`, CONVERSATION, RUN, at);
    earlier.close();

    killIn(3, "state", path);
    killIn(stateMigrations.length, "state", path);
    const database = openDatabase(path, stateMigrations, { title });
    const store = openRunStore(database);
    expect((await store.conversations({ limit: 9 })).items).toMatchObject([
      { title: "Fences", messageCount: 1 },
    ]);
    expect(await store.messages(CONVERSATION)).toMatchObject([{ text: "How many posts?", runId: RUN }]);
    expect(await store.hasRun(RUN)).toBe(true);
    await store.close();
    database.close();
  });

  it("keeps all memories searchable", async () => {
    const profile = await createTestProfile();
    const first = await profile.open();
    await observe(first, "one walnut", "two walnuts");
    await first.close();
    const path = profile.paths.memory.index;
    rmSync(dirname(path), { recursive: true });
    mkdirSync(dirname(path), { recursive: true });
    const earlier = openDatabase(path, memoryIndexMigrations.slice(0, 2), { title });
    earlier.exec(
      "INSERT INTO entries (id, kind, timestamp, tags) VALUES ('evt-gone', 'observation', '', '[]')",
    );
    earlier.close();

    killIn(3, "memory", path);
    const again = await profile.open();
    expect(await found(again, "walnut")).toHaveLength(2);
    expect(await again.index.status()).toMatchObject({ items: 2, quarantined: [] });
    await profile.remove();
  });

  it("leaves no partial account database: the first owner can still be created", async () => {
    const test = new TestAccounts();
    killIn(1, "accounts", homePaths(test.home).systemDatabase);
    const accounts = await test.open();
    expect(await createOwner(accounts)).toMatchObject({ account: { username: "greg" } });
    test.remove();
  });
});
