import { isIPv4, isIPv6 } from "node:net";
import { RateLimiterRes, RateLimiterSQLite } from "rate-limiter-flexible";
import type { ServerConfig } from "../contract/config.ts";
import type { Database } from "../database/open-database.ts";
import { RateLimitedError } from "../errors/rate-limited-error.ts";

/** What is limited, and to how many times the configured attempts. */
const FACTORS = {
  /** One address trying one account. */
  pair: 1,
  /** All addresses together trying one account: slows down a botnet, and takes one to keep the person out. */
  account: 10,
  /** One address trying all accounts. */
  address: 5,
} as const;

export interface LoginLimits {
  /** Counts an attempt before its password is looked at, so that attempts made at once cannot slip by. Throws `RateLimitedError`. */
  attempt(username: string, address: string): Promise<void>;
  /** Takes back what a successful attempt counted, and what this address got wrong on this account before. */
  succeeded(username: string, address: string): Promise<void>;
}

/** Attempts are counted in the account database: a restart does not reset them. */
export function createLoginLimits(database: Database, settings: () => ServerConfig["login"]): LoginLimits {
  const forget = database.command("DELETE FROM login_limit WHERE expire < ?");
  // The library counts by the system's date: after that was set back nobody waits for longer than the window.
  const shorten = database.command("UPDATE login_limit SET expire = @latest WHERE expire > @latest");
  let built: { key: string; limiters: ReturnType<typeof build> } | undefined;

  function limiters(): ReturnType<typeof build> {
    const { attempts, windowMs } = settings();
    const key = `${attempts}/${windowMs}`;
    if (built?.key !== key) built = { key, limiters: build(database, attempts, windowMs) };
    return built.limiters;
  }

  return {
    async attempt(username, address) {
      const now = Date.now();
      forget.run(now);
      shorten.run({ latest: now + settings().windowMs });
      const { pair, account, address: byAddress } = limiters();
      const [who, where] = [keyOf(username), keyOf(networkOf(address))];
      await consume(pair, `${who}|${where}`);
      await consume(account, who);
      await consume(byAddress, where);
    },
    async succeeded(username, address) {
      const { pair, account, address: byAddress } = limiters();
      const [who, where] = [keyOf(username), keyOf(networkOf(address))];
      await pair.delete(`${who}|${where}`);
      await account.reward(who);
      await byAddress.reward(where);
    },
  };
}

function build(database: Database, attempts: number, windowMs: number) {
  const limiter = (keyPrefix: keyof typeof FACTORS): RateLimiterSQLite =>
    new RateLimiterSQLite({
      storeClient: database.connection,
      storeType: "better-sqlite3",
      tableName: "login_limit",
      tableCreated: true,
      keyPrefix,
      points: attempts * FACTORS[keyPrefix],
      duration: windowMs / 1_000,
    });
  return { pair: limiter("pair"), account: limiter("account"), address: limiter("address") };
}

async function consume(limiter: RateLimiterSQLite, key: string): Promise<void> {
  try {
    await limiter.consume(key);
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error;
    const retryAfterMs = Math.max(1_000, error.msBeforeNext);
    throw new RateLimitedError("There were too many attempts to sign in. Wait, then try again.", {
      context: { retryAfterMs },
      suggestions: [`Try again in ${Math.ceil(retryAfterMs / 60_000)} minutes.`],
    });
  }
}

/** Names are whatever somebody typed; no key grows with them. */
function keyOf(text: string): string {
  return text.slice(0, 64).replaceAll("|", "/");
}

/** One household or machine has a whole /64 of IPv6 addresses to itself and counts as one. */
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
