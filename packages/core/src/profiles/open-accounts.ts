import { z } from "zod";
import type { ServerConfig } from "../contract/config.ts";
import { openDatabase, type Database } from "../database/open-database.ts";
import { writeIfPossible } from "../database/storage-error.ts";
import { homePaths } from "../paths/data-root.ts";
import { accountSchema } from "./account-schema.ts";
import { accountTable } from "./account-table.ts";
import type { Accounts } from "./accounts.ts";
import { credentialTable } from "./credential-table.ts";
import { createCredentials } from "./credentials.ts";
import { createLoginLimits, openLoginCounters } from "./login-limits.ts";
import { createAccountManagement } from "./account-management.ts";
import { createPasswords, type Passwords } from "./password.ts";
import { createRevocations } from "./revocations.ts";
import { createSignIn } from "./sign-in.ts";

export interface AccountsOptions {
  /** The data root. */
  home: string;
  /** Called each time, so that a changed configuration applies at once. */
  settings: () => Pick<ServerConfig, "session" | "login">;
  /** Default: the clocks of the system. */
  time?: ClockSources;
  /** Default: `DEFAULT_WORK`. */
  passwords?: Passwords;
}

const SAVE_TIME_INTERVAL_MS = 600_000;

/** Opens `profiles/system.db` and creates it if missing. Throws the errors of `openDatabase`. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const { home, settings, time, passwords = createPasswords() } = options;
  const database = openDatabase(homePaths(home).systemDatabase, accountSchema, {
    title: "the account database (system.db)",
    recovery:
      "Stop MetaHuman OS and run: mh database restore --accounts. It restores the newest backup and keeps the damaged file.",
    whenMissing: "throw",
  });
  const accounts = accountTable(database);
  const table = credentialTable(database);
  const { now, saveTime } = openClock(database, time);
  const limits = createLoginLimits(openLoginCounters(database), () => settings().login);

  const dataVersion = database.query("PRAGMA data_version", z.strictObject({ data_version: z.int() }));
  const version = () => dataVersion.get()?.data_version ?? 0;
  const revocations = createRevocations({
    async live(ids) {
      const time = now();
      const { absoluteTimeoutMs, idleTimeoutMs } = settings().session;
      const since = { started: time - absoluteTimeoutMs, used: time - idleTimeoutMs, now: time };
      return new Set(ids.filter((id) => table.isLive(id, since)));
    },
    version: async () => version(),
    initialVersion: version(),
  });
  const credentials = createCredentials({
    database,
    table,
    settings: () => settings().session,
    now,
    saveTime,
    revocations,
  });
  const dependencies = { home, database, accounts, table, credentials, passwords, limits, revocations };
  const management = createAccountManagement(dependencies);
  const saveTimer = setInterval(() => writeIfPossible(saveTime), SAVE_TIME_INTERVAL_MS).unref();
  let isClosed = false;

  return {
    ...management,
    ...createSignIn(dependencies),
    session: async (token) => credentials.session(token),
    signOut: async (credentialId) => credentials.signOut(credentialId),
    createToken: async (username, name, options) =>
      credentials.createToken((await management.get(username)).username, name, options),
    tokens: async (username) => table.tokens(username),
    revokeToken: async (username, idOrName) => credentials.revokeToken(username, idOrName),
    bearer: async (token) => credentials.bearer(token),
    onRevoked: (listener) => revocations.listen(listener),
    ...nextMoments(database),
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(saveTimer);
      revocations.close();
      writeIfPossible(saveTime);
      database.close();
    },
  };
}

function nextMoments(database: Database): Pick<Accounts, "setNextMoment" | "dueProfiles"> {
  const set = database.command(
    `INSERT INTO next_moment (username, at) SELECT username, :at FROM account WHERE username = :username
     ON CONFLICT (username) DO UPDATE SET at = excluded.at`,
  );
  const clear = database.command("DELETE FROM next_moment WHERE username = ?");
  const due = database.query(
    "SELECT username FROM next_moment WHERE at <= ? ORDER BY at",
    z.strictObject({ username: z.string() }),
  );
  return {
    setNextMoment: async (username, at) =>
      void (at === null ? clear.run(username) : set.run({ username, at })),
    dueProfiles: async (now, open) =>
      due
        .all(now.toISOString())
        .map(({ username }) => username)
        .filter((username) => !open.includes(username)),
  };
}

/** Opens the monotonic clock at the time that the last process stored. */
function openClock(
  database: Database,
  time: ClockSources | undefined,
): { now: () => number; saveTime: () => void } {
  const latest =
    database.query("SELECT latest FROM clock", z.strictObject({ latest: z.int() })).get()?.latest ?? 0;
  const saveLatest = database.command("UPDATE clock SET latest = max(latest, ?)");
  const now = createMonotonicClock(latest, time);
  return { now, saveTime: () => void saveLatest.run(now()) };
}

/** The sources of a monotonic clock, in milliseconds. */
interface ClockSources {
  /** The system's date, which may be changed in both directions. */
  wall: () => number;
  /** The monotonic time of this process. */
  elapsed: () => number;
}

const systemTime: ClockSources = { wall: () => Date.now(), elapsed: () => performance.now() };

/**
 * Creates a clock for expiry. It follows the system's date forwards. While that date is behind an earlier value, the
 * clock continues from that value, so that setting the date back extends nothing. `latest` is the last value of an
 * earlier process.
 */
export function createMonotonicClock(
  latest: number,
  { wall, elapsed }: ClockSources = systemTime,
): () => number {
  let at = Math.max(latest, wall());
  let mark = elapsed();
  return () => {
    const now = elapsed();
    at = Math.max(at + (now - mark), wall());
    mark = now;
    return Math.floor(at);
  };
}
