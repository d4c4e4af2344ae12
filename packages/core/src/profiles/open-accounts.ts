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
import { createLoginLimits } from "./login-limits.ts";
import { createMembership } from "./membership.ts";
import { createPasswords, type Passwords } from "./password.ts";
import { createRevocations } from "./revocations.ts";
import { createSignIn } from "./sign-in.ts";
import { createMonotonicClock, type TimeSources } from "./monotonic-clock.ts";

export interface AccountsOptions {
  /** The data root. */
  home: string;
  /** Asked each time, so that a changed configuration counts at once. */
  settings: () => Pick<ServerConfig, "session" | "login">;
  /** The system's, when missing. */
  time?: TimeSources;
  /** With the usual work, when missing. */
  passwords?: Passwords;
}

const KEEP_TIME_EVERY_MS = 600_000;

/** Opens `profiles/system.db`, made when absent. Throws the errors of `openDatabase`. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const { home, settings, time, passwords = createPasswords() } = options;
  const database = openDatabase(homePaths(home).systemDatabase, accountSchema, {
    title: "the account database (system.db)",
    recovery:
      "Stop MetaHuman OS and run: mh database restore --accounts. It puts the newest backup in its place and keeps the damaged file.",
    whenMissing: "throw",
  });
  const accounts = accountTable(database);
  const table = credentialTable(database);
  const { now, keepTime } = lastingClock(database, time);
  const limits = createLoginLimits(database, () => settings().login);

  const dataVersion = database.query("PRAGMA data_version", z.strictObject({ data_version: z.int() }));
  const revocations = createRevocations({
    async live(ids) {
      const time = now();
      const { absoluteTimeoutMs, idleTimeoutMs } = settings().session;
      const since = { started: time - absoluteTimeoutMs, used: time - idleTimeoutMs, now: time };
      return new Set(ids.filter((id) => table.isLive(id, since)));
    },
    version: async () => dataVersion.get()?.data_version ?? 0,
  });
  const credentials = createCredentials({
    database,
    table,
    settings: () => settings().session,
    now,
    keepTime,
    revocations,
  });
  const parts = { home, database, accounts, table, credentials, passwords, limits, revocations };
  const membership = createMembership(parts);
  const timekeeper = setInterval(() => writeIfPossible(keepTime), KEEP_TIME_EVERY_MS).unref();
  let closed = false;

  return {
    ...membership,
    ...createSignIn(parts),
    session: async (token) => credentials.session(token),
    signOut: async (credentialId) => credentials.signOut(credentialId),
    createToken: async (username, name, options) =>
      credentials.createToken((await membership.get(username)).username, name, options),
    tokens: async (username) => table.tokens(username),
    revokeToken: async (username, idOrName) => credentials.revokeToken(username, idOrName),
    bearer: async (token) => credentials.bearer(token),
    onRevoked: (listener) => revocations.listen(listener),
    close() {
      if (closed) return;
      closed = true;
      clearInterval(timekeeper);
      revocations.close();
      writeIfPossible(keepTime);
      database.close();
    },
  };
}

/** The clock of expiry, continued from where the last process left it. */
function lastingClock(
  database: Database,
  time: TimeSources | undefined,
): { now: () => number; keepTime: () => void } {
  const latest =
    database.query("SELECT latest FROM clock", z.strictObject({ latest: z.int() })).get()?.latest ?? 0;
  const keep = database.command("UPDATE clock SET latest = max(latest, ?)");
  const now = createMonotonicClock(latest, time);
  return { now, keepTime: () => void keep.run(now()) };
}
