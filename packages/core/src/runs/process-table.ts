import { z } from "zod";
import type { Database } from "../database/open-database.ts";
import { machineName, processExists } from "./machine.ts";
import { ulid } from "./ulid.ts";

/** How long a process is taken to live after its last beat, in milliseconds. */
export const LEASE_MS = 15_000;
/** How often it should beat. */
export const HEARTBEAT_MS = 5_000;

const FORGET_AFTER_MS = 24 * 3_600_000;

const ProcessRow = z.object({ id: z.string(), machine: z.string(), pid: z.int(), beat_at: z.int() });

export interface ProcessTable {
  readonly id: string;
  beat(): void;
  /** The ids of all processes that live: a beat within the lease, and not known to be gone. */
  living(): Set<string>;
  leave(): void;
}

/** Who works on this store, and who still does. All methods belong into the caller's transaction. */
export function processTable(database: Database, now: () => Date): ProcessTable {
  const id = `proc-${ulid()}`;
  const machine = machineName();
  const all = database.query("SELECT id, machine, pid, beat_at FROM processes", ProcessRow);
  const upsert = database.command(
    "INSERT INTO processes (id, machine, pid, beat_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET beat_at = excluded.beat_at",
  );
  const remove = database.command("DELETE FROM processes WHERE id = ?");
  const forget = database.command("DELETE FROM processes WHERE beat_at < ?");

  return {
    id,
    beat() {
      const time = now().getTime();
      upsert.run(id, machine, process.pid, time);
      forget.run(time - FORGET_AFTER_MS);
    },
    living() {
      const since = now().getTime() - LEASE_MS;
      const alive = all
        .all()
        .filter((row) => row.beat_at > since && (row.machine !== machine || processExists(row.pid)));
      return new Set(alive.map((row) => row.id));
    },
    leave: () => void remove.run(id),
  };
}
