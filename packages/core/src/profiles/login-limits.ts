import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import type { ServerConfig } from "../contract/config.ts";
import type { Database } from "../database/open-database.ts";
import { RateLimitedError } from "../errors/access-errors.ts";
import { formatCount } from "../text/format.ts";

/** The limited keys and their multiples of the configured attempts. */
const FACTORS = {
  /** One address trying one account. */
  pair: 1,
  /** All addresses trying one account: slows down a botnet, and only a botnet can lock the account. */
  account: 10,
  /** One address trying all accounts: more failures than the people behind one address cause. */
  address: 20,
} as const;

/** The maximum number of concurrent verifications. Checking a password is expensive. */
const CONCURRENT = 2;

export interface LoginLimits {
  /**
   * Runs `verify` if the account and the address have attempts left, and resolves to its result. An attempt is
   * counted before `verify` runs, so that concurrent attempts cannot exceed the limit; an attempt beyond the limit waits
   * for earlier ones. A success refunds its attempt and the failures of this address on this account. A
   * rejected attempt is not counted. Throws `RateLimitedError`, and `StorageFullError` or `StorageReadOnlyError` if
   * the attempt cannot be counted.
   */
  attempt<Found>(
    username: string,
    address: string,
    verify: () => Promise<Found | undefined>,
  ): Promise<Found | undefined>;
}

const Counter = z.strictObject({ points: z.int(), expire: z.int().nullable() });

/** Counts attempts in the account database, so that a restart does not reset them. */
export function createLoginLimits(database: Database, settings: () => ServerConfig["login"]): LoginLimits {
  const forget = database.command("DELETE FROM login_limit WHERE expire < ?");
  // If the system's date was set back, nobody waits for longer than the window.
  const shorten = database.command("UPDATE login_limit SET expire = @latest WHERE expire > @latest");
  const read = database.query("SELECT points, expire FROM login_limit WHERE key = ?", Counter);
  const addPoint = database.command(
    `INSERT INTO login_limit (key, points, expire) VALUES (?, 1, ?)
     ON CONFLICT (key) DO UPDATE SET points = points + 1`,
  );
  const refund = database.command("UPDATE login_limit SET points = max(points - ?, 0) WHERE key = ?");

  const verifying: Pair[] = [];
  const waiting: { pair: Pair; start: () => void; refuse: (error: unknown) => void }[] = [];

  /** Returns the number of pending attempts of this process for a key. */
  const undecided = (name: keyof Pair, key: string): number =>
    verifying.filter((pair) => pair[name] === key).length;

  /** Counts the attempt, or returns `undecided` if pending attempts decide first. Throws `RateLimitedError`. */
  function admit(pair: Pair): "admitted" | "undecided" {
    const { attempts, windowMs } = settings();
    const now = Date.now();
    return database.transaction(() => {
      forget.run(now);
      shorten.run({ latest: now + windowMs });
      let decided = true;
      for (const name of names) {
        const { points = 0, expire = null } = read.get(pair[name]) ?? {};
        const limit = attempts * FACTORS[name];
        if (points < limit) continue;
        if (points - undecided(name, pair[name]) >= limit) throw limited((expire ?? now) - now);
        decided = false;
      }
      if (!decided) return "undecided";
      for (const name of names) addPoint.run(pair[name], now + windowMs);
      return "admitted";
    });
  }

  function succeeded(pair: Pair): void {
    database.transaction(() => {
      const points = read.get(pair.pair)?.points ?? 0;
      // Attempts that are still being verified stay counted.
      const own = Math.max(1, points - undecided("pair", pair.pair) + 1);
      for (const name of names) refund.run(own, pair[name]);
    });
  }

  /** Starts admitted attempts in the order of arrival. */
  function startNext(): void {
    while (verifying.length < CONCURRENT) {
      const [next] = waiting;
      if (!next) return;
      try {
        if (admit(next.pair) === "undecided") return;
        verifying.push(next.pair);
        next.start();
      } catch (error) {
        next.refuse(error);
      }
      waiting.shift();
    }
  }

  return {
    async attempt(username, address, verify) {
      const pair = pairOf(username, address);
      await new Promise<void>((start, refuse) => {
        waiting.push({ pair, start, refuse });
        startNext();
      });
      try {
        const found = await verify();
        if (found !== undefined) succeeded(pair);
        return found;
      } finally {
        verifying.splice(verifying.indexOf(pair), 1);
        startNext();
      }
    },
  };
}

type Pair = Record<keyof typeof FACTORS, string>;
const names = ["pair", "account", "address"] as const;

function pairOf(username: string, address: string): Pair {
  const [who, where] = [keyOf(username), keyOf(networkOf(address))];
  return { pair: `pair:${who}|${where}`, account: `account:${who}`, address: `address:${where}` };
}

function limited(waitMs: number): RateLimitedError {
  const retryAfterMs = Math.max(1_000, waitMs);
  const minutes = Math.ceil(retryAfterMs / 60_000);
  return new RateLimitedError("Too many attempts to sign in. Wait, then try again.", {
    context: { retryAfterMs },
    suggestions: [`Try again in ${formatCount(minutes, "minute")}.`],
  });
}

/** Limits the length of a key, because a name may be any text. */
function keyOf(text: string): string {
  return text.slice(0, 64).replaceAll("|", "/");
}

/** Returns the network of an address. A /64 of IPv6 addresses counts as one, because one machine may own it. */
export function networkOf(address: string): string {
  const bare = address.replace(/%.*$/, "").toLowerCase();
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (mapped !== undefined && isIPv4(mapped)) return mapped;
  if (!isIPv6(bare)) return bare;
  const [head = "", tail] = bare.split("::");
  const first = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: zeros }, () => "0"), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}
