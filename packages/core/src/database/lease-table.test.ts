import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { stateMigrations } from "../runs/migrations.ts";
import { LEASE_MS, type LeaseTable, openLeaseTable } from "./lease-table.ts";
import { type Database, openDatabase } from "./open-database.ts";

let database: Database;
let time: number;
const open = (): LeaseTable => openLeaseTable(database, () => new Date(time));

beforeEach(() => {
  database = openDatabase(":memory:", stateMigrations, { title: "the state database" });
  time = Date.parse("2026-11-20T09:30:00.000Z");
});
afterEach(() => database.close());

it("counts a holder as live until its lease expires, however often it renews it", () => {
  const [one, two] = [open(), open()];
  expect(two.live()).toEqual(new Set());
  one.renew();
  time += LEASE_MS - 1;
  expect(two.live()).toEqual(new Set([one.holder]));
  one.renew();
  two.renew();
  time += LEASE_MS - 1;
  expect(two.live()).toEqual(new Set([one.holder, two.holder]));
  time += 1;
  expect(two.live()).toEqual(new Set());
});

it("returns the remaining time of its lease, and 0 if a clock that was set back extends it", () => {
  const lease = open();
  expect(lease.remaining()).toBe(0);
  lease.renew();
  time += 1_000;
  expect(lease.remaining()).toBe(LEASE_MS - 1_000);
  time += LEASE_MS;
  expect(lease.remaining()).toBe(0);
  time -= 3_600_000;
  expect(lease.remaining()).toBe(0);
});

it("ends a released lease", () => {
  const [one, two] = [open(), open()];
  one.renew();
  one.release();
  expect(two.live()).toEqual(new Set());
});

it("detects immediately that a process of this machine has ended", () => {
  const lease = open();
  lease.renew();
  const { pid } = spawnSync(process.execPath, ["--version"]);
  database.command("UPDATE leases SET pid = ?").run(pid);
  expect(lease.live()).toEqual(new Set());
  database.command("UPDATE leases SET machine = 'elsewhere'").run();
  expect(lease.live()).toEqual(new Set([lease.holder]));
});

it("takes over the holders of a database from before there were leases", () => {
  const folder = mkdtempSync(join(tmpdir(), "leases-"));
  const path = join(folder, "state.db");
  const title = "the state database";
  try {
    const earlier = openDatabase(path, stateMigrations.slice(0, 6), { title });
    earlier.command("INSERT INTO processes VALUES ('proc-1', 'elsewhere', 1, ?)").run(time);
    earlier.close();
    const migrated = openDatabase(path, stateMigrations, { title });
    const lease = openLeaseTable(migrated, () => new Date(time));
    time += LEASE_MS - 1;
    expect(lease.live()).toEqual(new Set(["proc-1"]));
    time += 1;
    expect(lease.live()).toEqual(new Set());
    migrated.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
