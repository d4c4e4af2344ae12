import { z } from "zod";
import { ulid } from "../text/ulid.ts";
import { machineName, processExists } from "./local-process.ts";
import type { Database } from "./open-database.ts";

/** How long a lease lasts after its renewal, in milliseconds. */
export const LEASE_MS = 15_000;
/** How often a holder renews its lease, in milliseconds. */
export const RENEW_EVERY_MS = 5_000;

const FORGET_AFTER_MS = 24 * 3_600_000;

const LeaseRow = z.object({
  holder: z.string(),
  machine: z.string(),
  pid: z.int(),
  expires_at: z.int(),
});

/**
 * Leases of the processes that use one store. A holder counts as live until its lease expires by the clock of the
 * store. All methods require the caller's transaction.
 */
export interface LeaseTable {
  /** The id of this holder; new at every opening. */
  readonly holder: string;
  /** Extends this holder's lease to `LEASE_MS` from now. */
  renew(): void;
  /** The remaining time of this holder's lease, in milliseconds; 0 without a lease. */
  remaining(): number;
  /** Returns the holders whose leases have not expired. */
  live(): ReadonlySet<string>;
  /** Ends this holder's lease, so that other processes need not wait for it to expire. */
  release(): void;
}

/**
 * Uses a table `leases`. Machine and process id are only hints: with them, this machine notices the end of its own
 * processes before their leases expire.
 */
export function openLeaseTable(database: Database, now: () => Date): LeaseTable {
  const holder = `proc-${ulid()}`;
  const machine = machineName();
  const all = database.query("SELECT holder, machine, pid, expires_at FROM leases", LeaseRow);
  const own = database.query(
    "SELECT holder, machine, pid, expires_at FROM leases WHERE holder = ?",
    LeaseRow,
  );
  const put = database.command(
    "INSERT INTO leases (holder, machine, pid, expires_at) VALUES (?, ?, ?, ?) ON CONFLICT (holder) DO UPDATE SET expires_at = excluded.expires_at",
  );
  const remove = database.command("DELETE FROM leases WHERE holder = ?");
  const forget = database.command("DELETE FROM leases WHERE expires_at < ?");

  return {
    holder,
    renew() {
      const time = now().getTime();
      put.run(holder, machine, process.pid, time + LEASE_MS);
      forget.run(time - FORGET_AFTER_MS);
    },
    remaining() {
      const left = (own.get(holder)?.expires_at ?? 0) - now().getTime();
      // A remaining time of more than one lease means that the clock was set back; such a lease counts as expired.
      return left > LEASE_MS ? 0 : Math.max(0, left);
    },
    live() {
      const time = now().getTime();
      const live = all
        .all()
        .filter((row) => row.expires_at > time && (row.machine !== machine || processExists(row.pid)));
      return new Set(live.map((row) => row.holder));
    },
    release: () => void remove.run(holder),
  };
}
