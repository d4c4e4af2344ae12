import { z } from "zod";
import { Account, type AccountRole } from "../contract/account.ts";
import type { Database } from "../database/open-database.ts";

const AccountRow = z
  .strictObject({
    username: Account.shape.username,
    role: Account.shape.role,
    created_at: Account.shape.createdAt,
  })
  .transform(({ created_at, ...account }): Account => ({ ...account, createdAt: created_at }));

/** The `account` table. Every method is one statement. */
export function accountTable(database: Database) {
  const columns = "username, role, created_at";
  const one = database.query(`SELECT ${columns} FROM account WHERE username = ?`, AccountRow);
  const all = database.query(`SELECT ${columns} FROM account ORDER BY created_at, username`, AccountRow);
  const count = database.query("SELECT count(*) AS n FROM account", z.strictObject({ n: z.int() }));
  const owners = database.query(
    "SELECT count(*) AS n FROM account WHERE role = 'owner' AND username <> ?",
    z.strictObject({ n: z.int() }),
  );
  const password = database.query(
    "SELECT password FROM account WHERE username = ?",
    z.strictObject({ password: z.string() }),
  );
  const publicUsernames = database.query(
    "SELECT username FROM account WHERE is_public = 1 ORDER BY username",
    z.strictObject({ username: Account.shape.username }),
  );
  const setPublic = database.command("UPDATE account SET is_public = ? WHERE username = ?");
  const insert = database.command(
    "INSERT INTO account (username, role, password, created_at) VALUES (?, ?, ?, ?)",
  );
  const setPassword = database.command("UPDATE account SET password = ? WHERE username = ?");
  const setRole = database.command("UPDATE account SET role = ? WHERE username = ?");
  const remove = database.command("DELETE FROM account WHERE username = ?");

  return {
    get: (username: string): Account | undefined => one.get(username),
    list: (): Account[] => all.all(),
    isEmpty: (): boolean => count.get()?.n === 0,
    hasOtherOwner: (username: string): boolean => (owners.get(username)?.n ?? 0) > 0,
    password: (username: string): string | undefined => password.get(username)?.password,
    insert: ({ username, role, createdAt }: Account, hash: string): void =>
      void insert.run(username, role, hash, createdAt),
    /** Returns the usernames of profiles that accept guests. */
    publicUsernames: (): string[] => publicUsernames.all().map(({ username }) => username),
    setPublic: (username: string, isPublic: boolean): void => void setPublic.run(isPublic ? 1 : 0, username),
    setPassword: (username: string, hash: string): void => void setPassword.run(hash, username),
    setRole: (username: string, role: AccountRole): void => void setRole.run(role, username),
    remove: (username: string): void => void remove.run(username),
  };
}

export type AccountTable = ReturnType<typeof accountTable>;
