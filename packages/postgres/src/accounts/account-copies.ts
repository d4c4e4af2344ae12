import { z } from "zod";
import { AccountCopy, type AccountCopies, accountExists } from "@metahuman/core/profiles/account-copies";
import type { Postgres } from "../open-postgres.ts";
import { jsonText, type Session } from "../session.ts";
import { accountTables } from "./account-tables.ts";

const CopyRow = z.object({ copy: AccountCopy }).transform(({ copy }) => copy);

/** Reads the accounts of a database. */
export function openPostgresAccountCopies(database: Postgres): Omit<AccountCopies, "restore"> {
  return {
    all: () =>
      database.inSystem((session) =>
        session.all(
          CopyRow,
          `SELECT jsonb_build_object(
             'username', a.username, 'role', a.role, 'password', a.password, 'createdAt', a.created_at,
             'isPublic', a.is_public,
             'sessions', coalesce((SELECT jsonb_agg(jsonb_build_object('hash', s.hash, 'id', s.id,
               'started', s.started, 'used', s.used, 'isGuest', s.is_guest) ORDER BY s.id)
               FROM sessions s WHERE s.username = a.username), '[]'),
             'tokens', coalesce((SELECT jsonb_agg(jsonb_build_object('hash', t.hash, 'id', t.id, 'name', t.name,
               'scope', t.scope, 'createdAt', t.created_at, 'usedAt', t.used_at, 'expires', t.expires) ORDER BY t.id)
               FROM tokens t WHERE t.username = a.username), '[]'),
             'nextMoment', (SELECT n.at FROM next_moments n WHERE n.username = a.username)) AS copy
           FROM accounts a ORDER BY a.username`,
        ),
      ),
    has: (username) =>
      database.inSystem(async (session) => (await accountTables.find(session, username)) !== undefined),
    owners: () => database.inSystem((session) => accountTables.owners(session)),
    latest: async () => (await database.inSystem((session) => accountTables.state(session))).latest,
  };
}

/** Adds an account. Throws `AlreadyExistsError`. Runs in the caller's transaction. */
export async function restoreAccount(
  session: Session,
  { sessions, tokens, nextMoment, isPublic, ...account }: AccountCopy,
  { latest }: { latest: number },
): Promise<void> {
  const { username } = account;
  const added = await session.run(
    `INSERT INTO accounts (username, role, password, created_at, is_public)
     VALUES (:username, :role, :password, :createdAt, :isPublic) ON CONFLICT (username) DO NOTHING`,
    { ...account, isPublic },
  );
  if (added === 0) throw accountExists(username);
  await session.run(
    `INSERT INTO sessions (hash, id, username, started, used, is_guest)
     SELECT hash, id, :username, started, used, "isGuest" FROM jsonb_to_recordset(:rows::jsonb)
       AS row (hash text, id text, started float8, used float8, "isGuest" boolean)`,
    { username, rows: jsonText(sessions) },
  );
  await session.run(
    `INSERT INTO tokens (hash, id, username, name, created_at, used_at, scope, expires)
     SELECT hash, id, :username, name, "createdAt", "usedAt", scope, expires FROM jsonb_to_recordset(:rows::jsonb)
       AS row (hash text, id text, name text, "createdAt" text, "usedAt" text, scope text, expires float8)`,
    { username, rows: jsonText(tokens) },
  );
  if (nextMoment !== null) await accountTables.setNextMoment(session, username, nextMoment);
  await accountTables.saveTime(session, latest);
}
