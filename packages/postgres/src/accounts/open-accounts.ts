import { z } from "zod";
import type { Account, AccountRole } from "@metahuman/core/contract/account";
import type { ServerConfig } from "@metahuman/core/contract/config";
import { ForbiddenError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { AlreadyExistsError, ConflictError } from "@metahuman/core/errors/request-errors";
import type { Accounts, NewAccount } from "@metahuman/core/profiles/accounts";
import {
  createLoginLimits,
  decide,
  type LimitedKey,
  type LoginCounters,
  type LoginLimits,
  pointsToRefund,
} from "@metahuman/core/profiles/login-limits";
import {
  isSetupCode,
  MAX_GUESTS,
  newSetupCode,
  SETUP_CODE_KEY,
} from "@metahuman/core/profiles/account-management";
import { createPasswords, type Passwords } from "@metahuman/core/profiles/password";
import { migrationNotEnded } from "@metahuman/core/profiles/migration-mark";
import { createRevocations } from "@metahuman/core/profiles/revocations";
import { parseNewPassword, parseUsername } from "@metahuman/core/profiles/validate-account";
import { createPasswordCheck, wrongCredentials } from "@metahuman/core/profiles/sign-in";
import { retireProfileRows } from "../installation/installation-facts.ts";
import { isBeingMigrated } from "../transfer/migration-mark.ts";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";
import { accountTables, credentialTables } from "./account-tables.ts";
import { credentialMethods, type CredentialParts, startSession } from "./credentials.ts";

/** How long a process that was told of a due profile has to open it before others are told, in milliseconds. */
const OPENING_MS = 30_000;

export interface PostgresAccountsOptions {
  /** Called each time, so that a changed configuration applies at once. */
  settings: () => Pick<ServerConfig, "session" | "login">;
  /** Default: `DEFAULT_WORK`. */
  passwords?: Passwords;
  /** Creates the files of a new account's profile, and removes those of a removed one. */
  profiles: {
    /** Throws if there are files of a profile without an account. */
    requireNone(username: string): Promise<void>;
    create(username: string, displayName: string | undefined): Promise<void>;
    remove(username: string): Promise<void>;
  };
}

/**
 * Opens the accounts in the database, which all processes share. The setup code is stored, so that each process accepts the
 * one that another printed. `close` does not close the database.
 */
export async function openPostgresAccounts(
  database: Postgres,
  { settings, profiles, passwords = createPasswords() }: PostgresAccountsOptions,
): Promise<Accounts> {
  const opened = await database.inSystem((session) => accountTables.state(session));
  let { latest } = opened;
  const timeOf = (session: Session) => (latest = Math.max(latest, session.now.getTime()));
  const revocations = createRevocations({
    live: (ids) =>
      database.inSystem(async (session) => {
        const now = timeOf(session);
        const { absoluteTimeoutMs, idleTimeoutMs } = settings().session;
        const since = { started: now - absoluteTimeoutMs, used: now - idleTimeoutMs, now };
        return new Set(await credentialTables.live(session, { ids, ...since }));
      }),
    initialVersion: opened.ends,
    version: async () => (await database.readSystem((session) => accountTables.state(session))).ends,
  });
  const limits = createLoginLimits(openPostgresLoginCounters(database), () => settings().login);
  const credentials = { database, settings: () => settings().session, timeOf, revocations };
  const parts: Parts = { ...credentials, credentials, limits, passwords, profiles };

  return {
    ...setupMethods(parts),
    ...accountMethods(parts),
    ...publicProfileMethods(parts),
    ...passwordMethods(parts),
    ...credentialMethods(credentials),
    setNextMoment: async (username, at) =>
      void (await database.inSystem((session) => accountTables.setNextMoment(session, username, at))),
    async dueProfiles(now, open) {
      const later = new Date(now.getTime() + OPENING_MS).toISOString();
      const taken = { now: now.toISOString(), later, open };
      return await database.inSystem((session) => accountTables.takeDueProfiles(session, taken));
    },
    onRevoked: (listener) => revocations.listen(listener),
    close: () => revocations.close(),
  };
}

interface Parts extends CredentialParts {
  credentials: CredentialParts;
  limits: LoginLimits;
  passwords: Passwords;
  profiles: PostgresAccountsOptions["profiles"];
}

/** Runs `work` in a transaction while no other change of accounts runs. */
function changeAccounts<Result>(
  database: Postgres,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return database.inSystem(async (session) => {
    await accountTables.lock(session);
    return work(session);
  });
}

/** `check` runs inside the transaction, because hashing takes time. */
async function insertAccount(
  { database, passwords, profiles }: Parts,
  request: NewAccount,
  role: AccountRole,
  check: (session: Session) => Promise<void>,
): Promise<Account> {
  const username = parseUsername(request.username);
  await profiles.requireNone(username);
  const hash = await passwords.hash(parseNewPassword(request.password));
  const account = await changeAccounts(database, async (session) => {
    await check(session);
    const inserted: Account = { username, role, createdAt: session.now.toISOString() };
    await accountTables.insert(session, inserted, hash);
    await accountTables.setSetupCode(session, null);
    return inserted;
  });
  await profiles.create(username, request.displayName);
  return account;
}

async function requireFreeForSetup(session: Session): Promise<void> {
  if (!(await accountTables.isEmpty(session)))
    throw new ConflictError("This installation already has an owner. Sign in instead.");
  if (await isBeingMigrated(session)) throw migrationNotEnded();
}

function setupMethods(parts: Parts): Pick<Accounts, "isEmpty" | "setupProblem" | "setupCode" | "setup"> {
  const { database, credentials, limits } = parts;
  const setupCode = () =>
    changeAccounts(database, async (session) => {
      if (!(await accountTables.isEmpty(session)) || (await isBeingMigrated(session))) return undefined;
      const known = (await accountTables.state(session)).setup_code;
      if (known !== null) return known;
      const code = newSetupCode();
      await accountTables.setSetupCode(session, code);
      return code;
    });
  return {
    isEmpty: () => database.readSystem((session) => accountTables.isEmpty(session)),
    setupProblem: () =>
      database.inSystem(async (session) =>
        (await accountTables.isEmpty(session)) && (await isBeingMigrated(session))
          ? migrationNotEnded()
          : undefined,
      ),
    setupCode,
    async setup(request, from) {
      await database.inSystem(requireFreeForSetup);
      if (!from.fromLoopback) {
        const expected = await setupCode();
        const isRight = await limits.attempt(SETUP_CODE_KEY, from.address, async () =>
          expected !== undefined && isSetupCode(request.setupCode ?? "", expected) ? true : undefined,
        );
        if (isRight === undefined) {
          throw new ForbiddenError("The setup code is wrong.", {
            suggestions: ["Use the code that the server printed at startup."],
          });
        }
      }
      const account = await insertAccount(parts, request, "owner", requireFreeForSetup);
      return database.inSystem((session) => startSession(credentials, session, account));
    },
  };
}

function accountMethods(parts: Parts): Pick<Accounts, "add" | "remove" | "list" | "get" | "setRole"> {
  const { database, revocations, profiles } = parts;
  async function requireFreeName(session: Session, username: string): Promise<void> {
    if (await accountTables.find(session, username))
      throw new AlreadyExistsError(`An account named ${username} already exists.`);
  }
  async function requireOtherOwner(session: Session, username: string): Promise<void> {
    if (!(await accountTables.hasOtherOwner(session, username)))
      throw new ConflictError("An installation needs an owner. Make another account an owner first.");
  }

  return {
    async add(request) {
      const username = parseUsername(request.username);
      await database.inSystem((session) => requireFreeName(session, username));
      return insertAccount(parts, request, request.role, (session) => requireFreeName(session, username));
    },
    async remove(username, release) {
      const credentialIds = await changeAccounts(database, async (session) => {
        await accountTables.get(session, username);
        await requireOtherOwner(session, username);
        const ended = await credentialTables.endAll(session, username);
        await accountTables.remove(session, username);
        await retireProfileRows(session, username);
        return ended;
      });
      revocations.report({ username, credentialIds, reason: "account-removed" });
      await release?.();
      await profiles.remove(username);
    },
    list: () => database.readSystem((session) => accountTables.list(session)),
    get: (username) => database.readSystem((session) => accountTables.get(session, username)),
    async setRole(username, role) {
      const { account, credentialIds } = await changeAccounts(database, async (session) => {
        const before = await accountTables.get(session, username);
        if (before.role === role) return { account: before, credentialIds: [] };
        if (role !== "owner") await requireOtherOwner(session, username);
        await accountTables.setRole(session, username, role);
        return {
          account: { ...before, role },
          credentialIds: await credentialTables.endAll(session, username),
        };
      });
      revocations.report({ username, credentialIds, reason: "role-changed" });
      return account;
    },
  };
}

/** Publishes profiles and signs guests in. */
function publicProfileMethods({
  database,
  credentials,
  revocations,
}: Parts): Pick<Accounts, "publicProfiles" | "setPublic" | "signInAsGuest"> {
  return {
    publicProfiles: () => database.readSystem((session) => accountTables.publicUsernames(session)),
    async setPublic(username, isPublic) {
      const credentialIds = await changeAccounts(database, async (session) => {
        await accountTables.get(session, username);
        await accountTables.setPublic(session, username, isPublic);
        return isPublic ? [] : credentialTables.endGuests(session, username);
      });
      revocations.report({ username, credentialIds, reason: "guests-ended" });
    },
    async signInAsGuest(username) {
      const { session, ended } = await changeAccounts(database, async (transaction) => {
        if (!(await accountTables.publicUsernames(transaction)).includes(username))
          throw new NotFoundError("There is no public profile of this name.");
        const account = await accountTables.get(transaction, username);
        return {
          ended: await credentialTables.endGuests(transaction, username, MAX_GUESTS - 1),
          session: await startSession(credentials, transaction, account, { isGuest: true }),
        };
      });
      revocations.report({ username, credentialIds: ended, reason: "guests-ended" });
      return session;
    },
  };
}

/** Signs in and changes passwords. */
function passwordMethods({
  database,
  credentials,
  limits,
  passwords,
  revocations,
}: Parts): Pick<Accounts, "verifyPassword" | "signIn" | "changePassword" | "setPassword"> {
  const { check, checkWithinLimits } = createPasswordCheck({
    passwords,
    limits,
    load: (username) => database.readSystem((session) => accountTables.password(session, username)),
  });

  /** Runs `change` only if the password has not changed since the check. */
  const ifUnchanged = <Result>(
    username: string,
    stored: string,
    change: (session: Session, account: Account) => Promise<Result>,
  ): Promise<Result> =>
    changeAccounts(database, async (session) => {
      const account = await accountTables.find(session, username);
      if (!account || (await accountTables.password(session, username)) !== stored) throw wrongCredentials();
      return change(session, account);
    });

  /** Returns the ended credentials. */
  async function replacePassword(
    session: Session,
    { username, hash, keep }: { username: string; hash: string; keep?: string | undefined },
  ): Promise<string[]> {
    await accountTables.setPassword(session, username, hash);
    return credentialTables.endAll(session, username, keep);
  }

  return {
    verifyPassword: async (username, password) => (await check(username, password)) !== undefined,
    async signIn({ username, password }, { address }) {
      const { stored, outdated } = await checkWithinLimits(username, password, address);
      const fresh = outdated ? await passwords.hash(password) : undefined;
      return ifUnchanged(username, stored, async (session, account) => {
        if (fresh !== undefined) await accountTables.setPassword(session, username, fresh);
        return startSession(credentials, session, account);
      });
    },
    async changePassword(username, { current, next }, { address, keep }) {
      parseNewPassword(next);
      const { stored } = await checkWithinLimits(username, current, address);
      const hash = await passwords.hash(next);
      const credentialIds = await ifUnchanged(username, stored, (session) =>
        replacePassword(session, { username, hash, keep }),
      );
      revocations.report({ username, credentialIds, reason: "password-changed" });
    },
    async setPassword(username, password) {
      const hash = await passwords.hash(parseNewPassword(password));
      const credentialIds = await changeAccounts(database, async (session) => {
        if (!(await accountTables.find(session, username)))
          throw new NotFoundError("There is no account with this name.");
        return replacePassword(session, { username, hash });
      });
      revocations.report({ username, credentialIds, reason: "password-changed" });
    },
  };
}

const CounterRow = z.object({ key: z.string(), points: z.int(), expire: z.number() });

/** Keeps the counters of sign-in attempts in the database, so that all processes share them. */
function openPostgresLoginCounters(database: Postgres): LoginCounters {
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
          {
            keys: keys.map(({ key }) => key),
            own: pointsToRefund(first, counters.get(first.key)?.points ?? 0),
          },
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
