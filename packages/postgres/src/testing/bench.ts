import { openPostgres, type Postgres } from "../open-postgres.ts";
import { openPGlite } from "./pglite.ts";

/** A database whose clock the test sets, and new profiles in it. */
export interface DatabaseBench {
  database: Postgres;
  newProfile(): string;
  now(): Date;
  passTime(ms: number): void;
}

let opened: Promise<DatabaseBench> | undefined;
let profiles = 0;

/** The database of this process, which its tests share: each uses profiles of its own. */
export function pgliteBench(): Promise<DatabaseBench> {
  opened ??= openBench();
  return opened;
}

async function openBench(): Promise<DatabaseBench> {
  let time = Date.parse("2026-11-20T09:30:00.000Z");
  const now = () => new Date(time);
  return {
    database: await openPostgres(await openPGlite(), { clock: now }),
    newProfile: () => `profile-${(profiles += 1)}`,
    now,
    passTime(ms) {
      time += ms;
    },
  };
}
