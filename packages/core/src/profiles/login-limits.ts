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

/** One of the counters of an attempt. */
export interface LimitedKey {
  key: string;
  /** The number of attempts that are counted before further ones are refused. */
  limit: number;
  /** The attempts that this process is verifying. They are counted already, and a success refunds them. */
  undecided: number;
}

/** The stored counters of attempts, which a restart does not reset. */
export interface LoginCounters {
  /**
   * Counts an attempt for each key, in one transaction, and resolves to "admitted". Counts nothing if a key has reached its
   * limit: resolves to "undecided" if attempts that are being verified may still be refunded, and to the time to wait, in
   * milliseconds, otherwise.
   */
  admit(keys: readonly LimitedKey[], windowMs: number): Promise<"admitted" | "undecided" | number>;
  /** Takes back what the first key counted, without the attempts that are still being verified, from all keys. */
  refund(keys: readonly LimitedKey[]): Promise<void>;
}

const Counter = z.strictObject({ points: z.int(), expire: z.int().nullable() });

/** Keeps the counters in the account database. */
export function openLoginCounters(database: Database): LoginCounters {
  const forget = database.command("DELETE FROM login_limit WHERE expire < ?");
  // If the system clock was set back, the wait is still at most the window.
  const shorten = database.command("UPDATE login_limit SET expire = @latest WHERE expire > @latest");
  const read = database.query("SELECT points, expire FROM login_limit WHERE key = ?", Counter);
  const addPoint = database.command(
    `INSERT INTO login_limit (key, points, expire) VALUES (?, 1, ?)
     ON CONFLICT (key) DO UPDATE SET points = points + 1`,
  );
  const refund = database.command("UPDATE login_limit SET points = max(points - ?, 0) WHERE key = ?");

  return {
    admit: async (keys, windowMs) =>
      database.transaction(() => {
        const now = Date.now();
        forget.run(now);
        shorten.run({ latest: now + windowMs });
        const counters = new Map(keys.map(({ key }) => [key, read.get(key)]));
        const decision = decide(keys, (key) => counters.get(key)?.points ?? 0);
        if (typeof decision !== "string") return (counters.get(decision.key)?.expire ?? now) - now;
        if (decision === "admitted") for (const { key } of keys) addPoint.run(key, now + windowMs);
        return decision;
      }),
    refund: async (keys) =>
      database.transaction(() => {
        const [first] = keys;
        if (!first) return;
        const own = pointsToRefund(first, read.get(first.key)?.points ?? 0);
        for (const { key } of keys) refund.run(own, key);
      }),
  };
}

/** Decides about an attempt by its counters, or returns the key that has reached its limit. */
export function decide(
  keys: readonly LimitedKey[],
  pointsOf: (key: string) => number,
): "admitted" | "undecided" | LimitedKey {
  const full = keys.filter(({ key, limit }) => pointsOf(key) >= limit);
  const refused = full.find(({ key, limit, undecided }) => pointsOf(key) - undecided >= limit);
  return refused ?? (full.length === 0 ? "admitted" : "undecided");
}

/** The points to refund after a success. Attempts that are still being verified stay counted. */
export function pointsToRefund({ undecided }: LimitedKey, points: number): number {
  return Math.max(1, points - undecided + 1);
}

/** Limits attempts, by counters that all processes share. */
export function createLoginLimits(
  counters: LoginCounters,
  settings: () => ServerConfig["login"],
): LoginLimits {
  const verifying: Pair[] = [];
  const waiting: { pair: Pair; start: () => void; refuse: (error: unknown) => void }[] = [];

  /** Returns the number of pending attempts of this process for a key. */
  const countUndecided = (name: keyof Pair, key: string): number =>
    verifying.filter((pair) => pair[name] === key).length;

  const keysOf = (pair: Pair): LimitedKey[] =>
    names.map((name) => ({
      key: pair[name],
      limit: settings().attempts * FACTORS[name],
      undecided: countUndecided(name, pair[name]),
    }));

  let isStarting = false;
  let isNeededAgain = false;

  /** Starts admitted attempts in the order of arrival. */
  async function startNext(): Promise<void> {
    isNeededAgain = true;
    if (isStarting) return;
    isStarting = true;
    while (isNeededAgain) {
      isNeededAgain = false;
      await startWaiting();
    }
    isStarting = false;
  }

  async function startWaiting(): Promise<void> {
    while (verifying.length < CONCURRENT) {
      const [next] = waiting;
      if (!next) return;
      try {
        const decision = await counters.admit(keysOf(next.pair), settings().windowMs);
        if (decision === "undecided") return;
        if (decision !== "admitted") throw rateLimitedError(decision);
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
        void startNext();
      });
      try {
        const found = await verify();
        if (found !== undefined) await counters.refund(keysOf(pair));
        return found;
      } finally {
        verifying.splice(verifying.indexOf(pair), 1);
        void startNext();
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

function rateLimitedError(waitMs: number): RateLimitedError {
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
