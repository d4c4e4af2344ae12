import { type Account, TokenName, type TokenInfo } from "@metahuman/core/contract/account";
import type { ServerConfig } from "@metahuman/core/contract/config";
import { plainIssue, plainReason } from "@metahuman/core/contract/plain-issue";
import { NotSignedInError, SessionExpiredError } from "@metahuman/core/errors/access-errors";
import { NotFoundError } from "@metahuman/core/errors/not-found-errors";
import { AlreadyExistsError, InvalidRequestError } from "@metahuman/core/errors/request-errors";
import {
  StorageFullError,
  StorageReadOnlyError,
  StorageUnavailableError,
} from "@metahuman/core/errors/storage-errors";
import type { Accounts, NewSession, SignedIn } from "@metahuman/core/profiles/accounts";
import {
  GUEST_LIFETIME_MS,
  hashSecret,
  KEEP_ENDED_MS,
  NEW_TOKEN_ADVICE,
  newSecret,
  USE_INTERVAL_MS,
} from "@metahuman/core/profiles/credentials";
import type { Revocations } from "@metahuman/core/profiles/revocations";
import type { Postgres } from "../open-postgres.ts";
import type { Session } from "../session.ts";
import { accountTables, credentialTables, type ProfileState } from "./account-tables.ts";

export interface CredentialParts {
  database: Postgres;
  settings: () => ServerConfig["session"];
  /** The time of the transaction, in milliseconds since 1970; never earlier than one that it returned before. */
  timeOf: (session: Session) => number;
  revocations: Revocations;
}

/** Starts a session. The transaction has checked the account. */
export async function startSession(
  { settings, timeOf, revocations }: CredentialParts,
  session: Session,
  account: Account,
  { isGuest = false } = {},
): Promise<NewSession> {
  const { secret, id } = newSecret("");
  const now = timeOf(session);
  const { absoluteTimeoutMs, idleTimeoutMs } = settings();
  await credentialTables.deleteSessionsBefore(
    session,
    now - absoluteTimeoutMs - KEEP_ENDED_MS,
    now - idleTimeoutMs - KEEP_ENDED_MS,
  );
  const hash = hashOf(secret, "");
  if (hash === undefined) throw new Error("a new secret must have the form of a secret");
  await credentialTables.addSession(session, { hash, id, username: account.username, now, isGuest });
  await accountTables.saveTime(session, now);
  revocations.register(id, account.username);
  const lifetimeMs = lifetimeOf(isGuest, absoluteTimeoutMs);
  return { credentialId: id, kind: "session", account, isGuest, token: secret, lifetimeMs };
}

/** Verifies and ends sessions and bearer tokens. */
export function credentialMethods(
  parts: CredentialParts,
): Pick<Accounts, "session" | "signOut" | "createToken" | "tokens" | "revokeToken" | "bearer"> {
  return { ...sessionMethods(parts), ...tokenMethods(parts) };
}

function sessionMethods({
  database,
  settings,
  timeOf,
  revocations,
}: CredentialParts): Pick<Accounts, "session" | "signOut"> {
  const find = credentialFinder(database, timeOf);
  return {
    async session(token) {
      const hash = hashOf(token, "");
      const found =
        hash === undefined ? undefined : await find((session) => credentialTables.session(session, hash));
      if (!found) throw new NotSignedInError("You are not signed in.");
      const { now } = found;
      const { id, username, role, createdAt, isGuest, started, used } = found.row;
      const { idleTimeoutMs, absoluteTimeoutMs } = settings();
      if (now - started >= lifetimeOf(isGuest, absoluteTimeoutMs) || now - used >= idleTimeoutMs) {
        revocations.report({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("Your session has ended. Sign in again.");
      }
      if (now - used >= Math.min(USE_INTERVAL_MS, idleTimeoutMs / 10))
        await recordUse(database, async (session) => {
          await credentialTables.useSession(session, id, now);
          await accountTables.saveTime(session, now);
        });
      revocations.register(id, username);
      return { credentialId: id, kind: "session", account: { username, role, createdAt }, isGuest };
    },
    async signOut(id) {
      const username = await database.inSystem((session) => credentialTables.endSession(session, id));
      if (username !== undefined) revocations.report({ username, credentialIds: [id], reason: "signed-out" });
    },
  };
}

function tokenMethods({
  database,
  timeOf,
  revocations,
}: CredentialParts): Pick<Accounts, "createToken" | "tokens" | "revokeToken" | "bearer"> {
  const find = credentialFinder(database, timeOf);
  return {
    async createToken(username, name, { scope = "manage", lifetimeMs } = {}) {
      const parsed = TokenName.safeParse(name, { error: plainIssue });
      if (!parsed.success)
        throw new InvalidRequestError(`The token name is not valid: ${plainReason(parsed.error)}.`);
      const { secret, id } = newSecret("mh_");
      const hash = hashOf(secret, "mh_");
      if (hash === undefined) throw new Error("a new secret must have the form of a secret");
      const info = await database.inSystem(async (session): Promise<TokenInfo> => {
        const account = await accountTables.get(session, username);
        const expires = lifetimeMs === undefined ? null : timeOf(session) + lifetimeMs;
        const created: TokenInfo = {
          id,
          name: parsed.data,
          username: account.username,
          scope,
          createdAt: session.now.toISOString(),
          ...(expires !== null && { expiresAt: new Date(expires).toISOString() }),
        };
        if ((await credentialTables.addToken(session, hash, created, expires)) === 0)
          throw new AlreadyExistsError(`You already have a token named ${created.name}.`, {
            suggestions: ["Revoke it first, or choose another name."],
          });
        return created;
      });
      return { token: secret, info };
    },
    tokens: (username) => database.readSystem((session) => credentialTables.tokens(session, username)),
    async revokeToken(username, idOrName) {
      const id = await database.inSystem(async (session) => {
        const tokens = await credentialTables.tokens(session, username);
        const found = tokens.find((token) => token.id === idOrName || token.name === idOrName);
        if (!found)
          throw new NotFoundError("There is no such token.", { suggestions: tokens.map(({ name }) => name) });
        await credentialTables.endToken(session, found.id);
        return found.id;
      });
      revocations.report({ username, credentialIds: [id], reason: "token-revoked" });
    },
    async bearer(token): Promise<SignedIn> {
      const hash = hashOf(token, "mh_");
      const found =
        hash === undefined ? undefined : await find((session) => credentialTables.token(session, hash));
      if (!found) throw new NotSignedInError("This token is not valid.", { suggestions: [NEW_TOKEN_ADVICE] });
      const { id, username, role, createdAt, scope, expires, usedAt } = found.row;
      const { now } = found;
      if (expires !== null && now >= expires) {
        revocations.report({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("This token has expired.", { suggestions: [NEW_TOKEN_ADVICE] });
      }
      if (usedAt === null || now - Date.parse(usedAt) >= USE_INTERVAL_MS)
        await recordUse(database, (session) =>
          credentialTables.useToken(session, id, new Date(now).toISOString()),
        );
      revocations.register(id, username);
      return {
        credentialId: id,
        kind: "token",
        account: { username, role, createdAt },
        isGuest: false,
        scope,
      };
    },
  };
}

/**
 * Returns a function that reads a credential and the time in one statement, with the state of the profile: the request that it belongs
 * to need not ask for that again.
 */
function credentialFinder(database: Postgres, timeOf: CredentialParts["timeOf"]) {
  return async <Row extends ProfileState>(read: (session: Session) => Promise<Row | undefined>) => {
    const found = await database.readSystem(async (session) => {
      const at = performance.now();
      const row = await read(session);
      return row && { row, at, now: timeOf(session) };
    });
    if (found) database.noteRequest(found.row.profile, found.row.heads, found.at);
    return found;
  };
}

function lifetimeOf(isGuest: boolean, absoluteTimeoutMs: number): number {
  return isGuest ? Math.min(GUEST_LIFETIME_MS, absoluteTimeoutMs) : absoluteTimeoutMs;
}

function hashOf(secret: string, prefix: "" | "mh_"): string | undefined {
  return hashSecret(secret, prefix)?.toString("hex");
}

/** Records the last use. If the database accepts no changes, the session only appears unused for longer. */
async function recordUse(database: Postgres, write: (session: Session) => Promise<unknown>): Promise<void> {
  try {
    await database.inSystem(write);
  } catch (error) {
    const cannotWrite = [StorageFullError, StorageReadOnlyError, StorageUnavailableError];
    if (!cannotWrite.some((kind) => error instanceof kind)) throw error;
  }
}
