import { z } from "zod";
import { decide, type LimitedKey, type LoginCounters, refundOf } from "@metahuman/core/profiles/login-limits";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";

const CounterRow = z.object({ key: z.string(), points: z.int(), expire: z.number() });

/** Keeps the counters of sign-in attempts in the database, so that all processes share them. */
export function openPostgresLoginCounters(database: Postgres): LoginCounters {
  return {
    admit: (keys, windowMs) =>
      database.inSystem(async (session) => {
        const now = session.now.getTime();
        const counters = await lockCounters(session, keys);
        const decision = decide(keys, (key) => counters.get(key)?.points ?? 0);
        if (typeof decision !== "string") return (counters.get(decision.key)?.expire ?? now) - now;
        if (decision === "admitted")
          await session.run(
            `INSERT INTO login_limits (key, points, expire)
             SELECT key, 1, :expire FROM unnest(:keys::text[]) AS key
             ON CONFLICT (key) DO UPDATE SET points = login_limits.points + 1`,
            { keys: keys.map(({ key }) => key), expire: now + windowMs },
          );
        return decision;
      }),
    refund: (keys) =>
      database.inSystem(async (session) => {
        const [first] = keys;
        if (!first) return;
        const counters = await lockCounters(session, keys);
        await session.run(
          "UPDATE login_limits SET points = greatest(points - :own, 0) WHERE key = ANY(:keys::text[])",
          { keys: keys.map(({ key }) => key), own: refundOf(first, counters.get(first.key)?.points ?? 0) },
        );
      }),
  };
}

/** Locks the keys, which may have no rows yet, in one order, and returns the counters that have not expired. */
async function lockCounters(session: Session, limited: readonly LimitedKey[]) {
  const keys = limited.map(({ key }) => key).toSorted();
  await session.run(
    "SELECT pg_advisory_xact_lock(hashtextextended('login ' || key, 0)) FROM unnest(:keys::text[]) AS key",
    { keys },
  );
  await session.run("DELETE FROM login_limits WHERE expire < :now AND key = ANY(:keys::text[])", {
    keys,
    now: session.now.getTime(),
  });
  const rows = await session.all(
    CounterRow,
    "SELECT key, points, expire FROM login_limits WHERE key = ANY(:keys::text[])",
    { keys },
  );
  return new Map(rows.map((row) => [row.key, row]));
}
