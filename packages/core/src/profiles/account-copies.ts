import { z } from "zod";
import { Account, TokenInfo } from "../contract/account.ts";
import { Timestamp } from "../contract/ids.ts";
import type { Database } from "../database/open-database.ts";
import { AlreadyExistsError } from "../errors/request-errors.ts";

/** An account with its sessions and tokens. Secrets are hashes; times are milliseconds of the clock of expiry or ISO 8601. */
export const AccountCopy = z.strictObject({
  ...Account.shape,
  password: z.string(),
  isPublic: z.boolean(),
  sessions: z.array(
    z.strictObject({
      /** In hex. */
      hash: z.string(),
      id: z.string(),
      started: z.number(),
      used: z.number(),
      isGuest: z.boolean(),
    }),
  ),
  tokens: z.array(
    z.strictObject({
      hash: z.string(),
      id: z.string(),
      name: z.string(),
      scope: TokenInfo.shape.scope,
      createdAt: Timestamp,
      usedAt: Timestamp.nullable(),
      expires: z.number().nullable(),
    }),
  ),
  /** When the profile has something scheduled next. */
  nextMoment: Timestamp.nullable(),
});
export type AccountCopy = z.infer<typeof AccountCopy>;

/** The accounts of an installation in their stored form, to move them completely to another one. */
export interface AccountCopies {
  /** By username. */
  all(): Promise<AccountCopy[]>;
  has(username: string): Promise<boolean>;
  /** The usernames of the owners. */
  owners(): Promise<string[]>;
  /** The latest time of the expiry clock. */
  latest(): Promise<number>;
  /** Adds an account, all or nothing. Throws `AlreadyExistsError`. */
  restore(copy: AccountCopy, options: { latest: number }): Promise<void>;
}

const AccountRow = z.object({
  ...Account.shape,
  password: z.string(),
  isPublic: z.int().transform((value) => value === 1),
  nextMoment: z.string().nullable(),
});
const Hash = z.instanceof(Buffer).transform((bytes) => bytes.toString("hex"));
const SessionRow = z.object({
  ...AccountCopy.shape.sessions.element.shape,
  hash: Hash,
  isGuest: z.int().transform((value) => value === 1),
});
const TokenRow = z.object({ ...AccountCopy.shape.tokens.element.shape, hash: Hash });
const LatestRow = z.object({ latest: z.int() });

/** Uses `system.db`, opened with `accountSchema`. */
export function openAccountCopies(database: Database): AccountCopies {
  const accounts = database.query(
    `SELECT username, role, created_at AS createdAt, password, is_public AS isPublic, at AS nextMoment
     FROM account LEFT JOIN next_moment USING (username) ORDER BY username`,
    AccountRow,
  );
  const sessions = database.query(
    "SELECT hash, id, started, used, is_guest AS isGuest FROM session WHERE username = ? ORDER BY id",
    SessionRow,
  );
  const tokens = database.query(
    `SELECT hash, id, name, scope, created_at AS createdAt, used_at AS usedAt, expires
     FROM token WHERE username = ? ORDER BY id`,
    TokenRow,
  );
  const latest = database.query("SELECT latest FROM clock", LatestRow);
  const commands = {
    account: database.command(
      `INSERT INTO account (username, role, password, created_at, is_public)
       VALUES (:username, :role, :password, :createdAt, :isPublic)`,
    ),
    session: database.command(
      `INSERT INTO session (hash, id, username, started, used, is_guest)
       VALUES (:hash, :id, :username, :started, :used, :isGuest)`,
    ),
    token: database.command(
      `INSERT INTO token (hash, id, username, name, created_at, used_at, scope, expires)
       VALUES (:hash, :id, :username, :name, :createdAt, :usedAt, :scope, :expires)`,
    ),
    nextMoment: database.command("INSERT INTO next_moment (username, at) VALUES (?, ?)"),
    clock: database.command("UPDATE clock SET latest = max(latest, ?)"),
  };
  const has = (username: string) => accounts.all().some((account) => account.username === username);

  return {
    all: async () =>
      accounts.all().map((account) => ({
        ...account,
        sessions: sessions.all(account.username),
        tokens: tokens.all(account.username),
      })),
    has: async (username) => has(username),
    owners: async () => accounts.all().flatMap(({ username, role }) => (role === "owner" ? [username] : [])),
    latest: async () => latest.get()?.latest ?? 0,
    restore: async ({ sessions: signedIn, tokens: issued, nextMoment, isPublic, ...account }, options) =>
      database.durably(() => {
        const { username } = account;
        if (has(username)) throw accountExists(username);
        commands.account.run({ ...account, isPublic: Number(isPublic) });
        for (const { hash, isGuest, ...session } of signedIn)
          commands.session.run({
            ...session,
            username,
            hash: Buffer.from(hash, "hex"),
            isGuest: Number(isGuest),
          });
        for (const { hash, ...token } of issued)
          commands.token.run({ ...token, username, hash: Buffer.from(hash, "hex") });
        if (nextMoment !== null) commands.nextMoment.run(username, nextMoment);
        commands.clock.run(options.latest);
      }),
  };
}

export function accountExists(username: string): AlreadyExistsError {
  return new AlreadyExistsError(`There is already an account named ${username}; it was not changed.`);
}
