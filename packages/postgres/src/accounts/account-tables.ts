import { z } from "zod";
import { Account, type AccountRole, TokenInfo } from "@metahuman/core/contract/account";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { Heads, headsColumn } from "../profile-heads.ts";
import type { Session } from "../session.ts";

const AccountFields = {
  username: Account.shape.username,
  role: Account.shape.role,
  createdAt: Account.shape.createdAt,
};
const AccountRow = z.object(AccountFields);
/** How many due profiles a process takes at a time: they are opened one after the other. */
const MAX_TAKEN = 50;
/** The state of the profile of an account. */
const ProfileState = z.object({ profile: z.string(), heads: Heads });
export type ProfileState = z.output<typeof ProfileState>;
const SessionRow = z.object({
  ...AccountFields,
  ...ProfileState.shape,
  id: z.string(),
  started: z.number(),
  used: z.number(),
  isGuest: z.boolean(),
});
const TokenRow = z.object({
  ...AccountFields,
  ...ProfileState.shape,
  id: z.string(),
  scope: TokenInfo.shape.scope,
  expires: z.number().nullable(),
  usedAt: TokenInfo.shape.createdAt.nullable(),
});
const TokenInfoRow = z
  .object({
    id: z.string(),
    name: z.string(),
    username: Account.shape.username,
    scope: TokenInfo.shape.scope,
    createdAt: TokenInfo.shape.createdAt,
    expires: z.number().nullable(),
    usedAt: TokenInfo.shape.createdAt.nullable(),
  })
  .transform(({ expires, usedAt, ...token }): TokenInfo => ({
    ...token,
    ...(expires !== null && { expiresAt: new Date(expires).toISOString() }),
    ...(usedAt !== null && { lastUsedAt: usedAt }),
  }));
const UsernameRow = z.object({ username: Account.shape.username }).transform((row) => row.username);
const PasswordRow = z.object({ password: z.string() }).transform((row) => row.password);
const IdRow = z.object({ id: z.string() }).transform((row) => row.id);
const FoundRow = z.object({ found: z.boolean() }).transform((row) => row.found);
const StateRow = z.object({ setup_code: z.string().nullable(), latest: z.number(), ends: z.int() });

/** The name of the rows of an account, as `profileRows`, where `removed_profiles` is joined. */
const ROWS = "username || coalesce('#' || removed_profiles.count, '')";
const PROFILE_STATE = `${ROWS} AS profile, ${headsColumn(`(${ROWS})`)} AS heads`;
const ACCOUNT = `username, role, created_at AS "createdAt"`;

/** Accounts and their states. Every method runs in the caller's transaction. */
export const accountTables = {
  /** Waits until no other transaction creates, removes or changes accounts. */
  lock: (session: Session) =>
    session.run("SELECT pg_advisory_xact_lock(hashtextextended('metahuman accounts', 0))"),
  find: (session: Session, username: string) =>
    session.get(AccountRow, `SELECT ${ACCOUNT} FROM accounts WHERE username = :username`, { username }),
  /** Throws `NotFoundError`. */
  async get(session: Session, username: string): Promise<Account> {
    const account = await accountTables.find(session, username);
    if (!account)
      throw new NotFoundError(`There is no account named ${JSON.stringify(username.slice(0, 64))}.`);
    return account;
  },
  list: (session: Session) =>
    session.all(AccountRow, `SELECT ${ACCOUNT} FROM accounts ORDER BY created_at, username`),
  async isEmpty(session: Session): Promise<boolean> {
    return (await session.get(FoundRow, "SELECT EXISTS (SELECT 1 FROM accounts) AS found")) === false;
  },
  async hasOtherOwner(session: Session, username: string): Promise<boolean> {
    const sql =
      "SELECT EXISTS (SELECT 1 FROM accounts WHERE role = 'owner' AND username <> :username) AS found";
    return (await session.get(FoundRow, sql, { username })) === true;
  },
  owners: (session: Session) =>
    session.all(UsernameRow, "SELECT username FROM accounts WHERE role = 'owner' ORDER BY username"),
  /** The stored hash of the password. */
  password: (session: Session, username: string) =>
    session.get(PasswordRow, "SELECT password FROM accounts WHERE username = :username", { username }),
  insert: (session: Session, { username, role, createdAt }: Account, hash: string) =>
    session.run(
      `INSERT INTO accounts (username, role, password, created_at) VALUES (:username, :role, :hash, :createdAt)`,
      { username, role, hash, createdAt },
    ),
  setPassword: (session: Session, username: string, hash: string) =>
    session.run("UPDATE accounts SET password = :hash WHERE username = :username", { username, hash }),
  setRole: (session: Session, username: string, role: AccountRole) =>
    session.run("UPDATE accounts SET role = :role WHERE username = :username", { username, role }),
  setPublic: (session: Session, username: string, isPublic: boolean) =>
    session.run("UPDATE accounts SET is_public = :isPublic WHERE username = :username", {
      username,
      isPublic,
    }),
  publicUsernames: (session: Session) =>
    session.all(UsernameRow, "SELECT username FROM accounts WHERE is_public ORDER BY username"),
  remove: (session: Session, username: string) =>
    session.run("DELETE FROM accounts WHERE username = :username", { username }),
  async state(session: Session): Promise<z.output<typeof StateRow>> {
    const state = await session.get(StateRow, "SELECT setup_code, latest, ends FROM account_state");
    return state ?? { setup_code: null, latest: 0, ends: 0 };
  },
  setSetupCode: (session: Session, code: string | null) =>
    session.run("UPDATE account_state SET setup_code = :code", { code }),
  saveTime: (session: Session, now: number) =>
    session.run("UPDATE account_state SET latest = greatest(latest, :now)", { now }),
  setNextMoment: (session: Session, username: string, at: string | null) =>
    at === null
      ? session.run("DELETE FROM next_moments WHERE username = :username", { username })
      : session.run(
          `INSERT INTO next_moments (username, at) SELECT username, :at FROM accounts WHERE username = :username
           ON CONFLICT (username) DO UPDATE SET at = excluded.at`,
          { username, at },
        ),
  /** Takes profiles that are due, the earliest first, except those of `open`: until `later`, no process gets them again. */
  takeDueProfiles: (
    session: Session,
    { now, later, open }: { now: string; later: string; open: readonly string[] },
  ) =>
    session.all(
      UsernameRow,
      `UPDATE next_moments SET at = :later WHERE username IN
         (SELECT username FROM next_moments WHERE at <= :now AND username <> ALL (:open::text[])
          ORDER BY at LIMIT ${MAX_TAKEN} FOR UPDATE SKIP LOCKED)
       RETURNING username`,
      { now, later, open },
    ),
};

/** Sessions and tokens. Every method runs in the caller's transaction. */
export const credentialTables = {
  session: (session: Session, hash: string) =>
    session.get(
      SessionRow,
      `SELECT sessions.id, username, role, created_at AS "createdAt", started, used, is_guest AS "isGuest",
         ${PROFILE_STATE}
       FROM sessions JOIN accounts USING (username) LEFT JOIN removed_profiles USING (username) WHERE hash = :hash`,
      { hash },
    ),
  addSession: (
    session: Session,
    added: { hash: string; id: string; username: string; now: number; isGuest: boolean },
  ) =>
    session.run(
      `INSERT INTO sessions (hash, id, username, started, used, is_guest)
       VALUES (:hash, :id, :username, :now, :now, :isGuest)`,
      added,
    ),
  useSession: (session: Session, id: string, now: number) =>
    session.run("UPDATE sessions SET used = :now WHERE id = :id", { id, now }),
  /** Deletes sessions started or last used before these times. */
  deleteSessionsBefore: (session: Session, started: number, used: number) =>
    session.run("DELETE FROM sessions WHERE started < :started OR used < :used", { started, used }),
  /** Returns the username; undefined if the session does not exist. */
  async endSession(session: Session, id: string): Promise<string | undefined> {
    const username = await session.get(
      UsernameRow,
      "DELETE FROM sessions WHERE id = :id RETURNING username",
      {
        id,
      },
    );
    if (username !== undefined) await countEnds(session);
    return username;
  },
  /** Ends the sessions of a profile's guests except the `keep` most recently used. Returns the ended ids. */
  async endGuests(session: Session, username: string, keep = 0): Promise<string[]> {
    const ended = await session.all(
      IdRow,
      `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE username = :username AND is_guest
         ORDER BY used DESC, id OFFSET :keep) RETURNING id`,
      { username, keep },
    );
    if (ended.length > 0) await countEnds(session);
    return ended;
  },
  token: (session: Session, hash: string) =>
    session.get(
      TokenRow,
      `SELECT tokens.id, username, role, accounts.created_at AS "createdAt", scope, expires, used_at AS "usedAt",
         ${PROFILE_STATE}
       FROM tokens JOIN accounts USING (username) LEFT JOIN removed_profiles USING (username) WHERE hash = :hash`,
      { hash },
    ),
  /** Returns 0 if the account has a token of this name. */
  addToken: (session: Session, hash: string, info: TokenInfo, expires: number | null) =>
    session.run(
      `INSERT INTO tokens (hash, id, username, name, created_at, scope, expires)
       VALUES (:hash, :id, :username, :name, :createdAt, :scope, :expires) ON CONFLICT (username, name) DO NOTHING`,
      {
        ...{ hash, expires, id: info.id, username: info.username },
        ...{ name: info.name, createdAt: info.createdAt, scope: info.scope },
      },
    ),
  useToken: (session: Session, id: string, at: string) =>
    session.run("UPDATE tokens SET used_at = :at WHERE id = :id", { id, at }),
  async endToken(session: Session, id: string): Promise<void> {
    await session.run("DELETE FROM tokens WHERE id = :id", { id });
    await countEnds(session);
  },
  tokens: (session: Session, username: string) =>
    session.all(
      TokenInfoRow,
      `SELECT id, name, username, scope, created_at AS "createdAt", expires, used_at AS "usedAt" FROM tokens
       WHERE username = :username ORDER BY created_at, name`,
      { username },
    ),
  /** Returns the given sessions and tokens that are still valid. */
  live: (session: Session, asked: { ids: readonly string[]; started: number; used: number; now: number }) =>
    session.all(
      IdRow,
      `SELECT id FROM sessions WHERE id = ANY(:ids::text[]) AND started > :started AND used > :used
       UNION ALL
       SELECT id FROM tokens WHERE id = ANY(:ids::text[]) AND (expires IS NULL OR expires > :now)`,
      asked,
    ),
  /** Ends all tokens and all sessions of an account except one. Returns the ended ids. */
  async endAll(session: Session, username: string, keep = ""): Promise<string[]> {
    const sessions = await session.all(
      IdRow,
      "DELETE FROM sessions WHERE username = :username AND id <> :keep RETURNING id",
      { username, keep },
    );
    const tokens = await session.all(IdRow, "DELETE FROM tokens WHERE username = :username RETURNING id", {
      username,
    });
    if (sessions.length + tokens.length > 0) await countEnds(session);
    return [...sessions, ...tokens];
  },
};

/** Counts ended credentials, so that other processes notice them. */
function countEnds(session: Session): Promise<number> {
  return session.run("UPDATE account_state SET ends = ends + 1");
}
