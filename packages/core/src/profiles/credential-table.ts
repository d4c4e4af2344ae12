import { z } from "zod";
import { Account, TokenInfo } from "../contract/account.ts";
import type { Database } from "../database/open-database.ts";

const HolderFields = {
  id: z.string(),
  username: Account.shape.username,
  role: Account.shape.role,
  created_at: Account.shape.createdAt,
};
const SessionRow = z.strictObject({ ...HolderFields, started: z.int(), used: z.int(), is_guest: z.int() });
const TokenRow = z.strictObject({
  ...HolderFields,
  scope: TokenInfo.shape.scope,
  expires: z.int().nullable(),
  used_at: TokenInfo.shape.createdAt.nullable(),
});
const TokenInfoRow = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    username: Account.shape.username,
    scope: TokenInfo.shape.scope,
    created_at: TokenInfo.shape.createdAt,
    expires: z.int().nullable(),
    used_at: TokenInfo.shape.createdAt.nullable(),
  })
  .transform(({ created_at, used_at, expires, ...token }): TokenInfo => ({
    ...token,
    createdAt: created_at,
    ...(expires !== null && { expiresAt: new Date(expires).toISOString() }),
    ...(used_at && { lastUsedAt: used_at }),
  }));
const Id = z.strictObject({ id: z.string() });
const Username = z.strictObject({ username: Account.shape.username });

type SessionRow = z.infer<typeof SessionRow>;
type TokenRow = z.infer<typeof TokenRow>;

/** The tables `session` and `token`. */
export function credentialTable(database: Database) {
  const session = database.query(
    `SELECT session.id, username, role, created_at, started, used, is_guest
     FROM session JOIN account USING (username) WHERE hash = ?`,
    SessionRow,
  );
  const addSession = database.command(
    "INSERT INTO session (hash, id, username, started, used, is_guest) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const useSession = database.command("UPDATE session SET used = ? WHERE id = ?");
  const endSession = database.query("DELETE FROM session WHERE id = ? RETURNING username", Username);
  const deleteSessionsBefore = database.command("DELETE FROM session WHERE started < ? OR used < ?");
  const guestsOf = database.query(
    "SELECT id FROM session WHERE username = ? AND is_guest = 1 ORDER BY used DESC, id LIMIT -1 OFFSET ?",
    Id,
  );
  const liveSession = database.query("SELECT id FROM session WHERE id = ? AND started > ? AND used > ?", Id);

  const token = database.query(
    `SELECT token.id, username, role, account.created_at, scope, expires, used_at
     FROM token JOIN account USING (username) WHERE hash = ?`,
    TokenRow,
  );
  const addToken = database.command(
    "INSERT INTO token (hash, id, username, name, created_at, scope, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const useToken = database.command("UPDATE token SET used_at = ? WHERE id = ?");
  const endToken = database.command("DELETE FROM token WHERE id = ?");
  const liveToken = database.query(
    "SELECT id FROM token WHERE id = ? AND (expires IS NULL OR expires > ?)",
    Id,
  );
  const tokenNamed = database.query("SELECT id FROM token WHERE username = ? AND name = ?", Id);
  const tokens = database.query(
    "SELECT id, name, username, scope, created_at, expires, used_at FROM token WHERE username = ? ORDER BY created_at, name",
    TokenInfoRow,
  );

  const sessionsOf = database.query("SELECT id FROM session WHERE username = ? AND id <> ?", Id);
  const tokensOf = database.query("SELECT id FROM token WHERE username = ?", Id);
  const endSessions = database.command("DELETE FROM session WHERE username = ? AND id <> ?");
  const endTokens = database.command("DELETE FROM token WHERE username = ?");

  return {
    session: (hash: Buffer): SessionRow | undefined => session.get(hash),
    addSession: (
      hash: Buffer,
      { id, username, now, isGuest }: { id: string; username: string; now: number; isGuest: boolean },
    ): void => void addSession.run(hash, id, username, now, now, isGuest ? 1 : 0),
    /** Ends the sessions of a profile's guests except the `keep` most recently used. Returns the ended ids. */
    endGuests(username: string, keep = 0): string[] {
      const ended = guestsOf.all(username, keep).map(({ id }) => id);
      for (const id of ended) endSession.get(id);
      return ended;
    },
    useSession: (id: string, now: number): void => void useSession.run(now, id),
    /** Returns the username; undefined if the session does not exist. */
    endSession: (id: string): string | undefined => endSession.get(id)?.username,
    /** Deletes sessions started or last used before these times. */
    deleteSessionsBefore: (started: number, used: number): void =>
      void deleteSessionsBefore.run(started, used),
    isLive: (id: string, { started, used, now }: { started: number; used: number; now: number }): boolean =>
      (liveSession.get(id, started, used) ?? liveToken.get(id, now)) !== undefined,

    token: (hash: Buffer): TokenRow | undefined => token.get(hash),
    addToken: (hash: Buffer, info: TokenInfo, expires: number | null): void =>
      void addToken.run(hash, info.id, info.username, info.name, info.createdAt, info.scope, expires),
    useToken: (id: string, at: string): void => void useToken.run(at, id),
    endToken: (id: string): void => void endToken.run(id),
    tokens: (username: string): TokenInfo[] => tokens.all(username),
    hasToken: (username: string, name: string): boolean => tokenNamed.get(username, name) !== undefined,

    /** Ends all tokens and all sessions of an account except one. Returns the ended ids. Requires a transaction. */
    endAll(username: string, exceptId = ""): string[] {
      const ended = [...sessionsOf.all(username, exceptId), ...tokensOf.all(username)].map(({ id }) => id);
      endSessions.run(username, exceptId);
      endTokens.run(username);
      return ended;
    },
  };
}

export type CredentialTable = ReturnType<typeof credentialTable>;
