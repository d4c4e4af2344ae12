import { openPostgres, type Postgres } from "../open-postgres.ts";
import type { Driver } from "../pg-driver.ts";
import { openPGlite } from "./pglite.ts";

/** A database whose clock the test sets, and new profiles in it. */
export interface DatabaseHarness {
  database: Postgres;
  newProfile(): string;
  now(): Date;
  passTime(ms: number): void;
  setTime(time: Date): void;
}

let opened: Promise<DatabaseHarness> | undefined;

/** The database in this process, which all its tests share: each uses profiles of its own. */
export function pgliteHarness(): Promise<DatabaseHarness> {
  opened ??= openPGlite().then(openHarness);
  return opened;
}

/** Opens a database with a clock that only the test advances. */
export async function openHarness(driver: Driver): Promise<DatabaseHarness> {
  let profiles = 0;
  let time = Date.parse("2026-11-20T09:30:00.000Z");
  const now = () => new Date(time);
  return {
    database: await openPostgres(driver, { clock: now, poll: { pollMs: 50 } }),
    newProfile: () => `profile-${(profiles += 1)}`,
    now,
    passTime(ms) {
      time += ms;
    },
    setTime(set) {
      time = set.getTime();
    },
  };
}
