import { TokenName, type Account, type TokenInfo } from "../contract/account.ts";
import type { ServerConfig } from "../contract/config.ts";
import { plainIssue, plainReason } from "../contract/plain-issue.ts";
import type { Database } from "../database/open-database.ts";
import { writeIfPossible } from "../database/storage-error.ts";
import { AlreadyExistsError, InvalidRequestError } from "../errors/request-errors.ts";
import { NotFoundError } from "../errors/not-found-errors.ts";
import { NotSignedInError, SessionExpiredError } from "../errors/access-errors.ts";
import type { NewSession, NewToken, SignedIn } from "./accounts.ts";
import type { CredentialTable } from "./credential-table.ts";
import type { Revocations } from "./revocations.ts";
import { createHash, randomBytes } from "node:crypto";

/** The minimum interval between updates of "last used", in milliseconds. A page makes many requests. */
export const USE_INTERVAL_MS = 60_000;
/** The lifetime of a guest session. Guests sign in again without a password. */
export const GUEST_LIFETIME_MS = 86_400_000;
/** How long an ended session is reported as expired instead of unknown, in milliseconds. */
export const KEEP_ENDED_MS = 7 * 86_400_000;

export interface CredentialDependencies {
  database: Database;
  table: CredentialTable;
  settings: () => ServerConfig["session"];
  /** The monotonic clock, in milliseconds. */
  now: () => number;
  /** Stores the clock's time for the next process. */
  saveTime: () => void;
  revocations: Revocations;
}

/** Creates, verifies and ends sessions and bearer tokens. */
export function createCredentials(dependencies: CredentialDependencies) {
  return { ...sessionMethods(dependencies), ...tokenMethods(dependencies) };
}

function sessionMethods(dependencies: CredentialDependencies) {
  const { database, table, settings, now, saveTime, revocations } = dependencies;
  return {
    /** Requires a transaction that has checked the account. */
    startSession(account: Account, { isGuest = false } = {}): NewSession {
      const { secret, id } = newSecret("");
      const hash = hashSecret(secret, "");
      if (!hash) throw new Error("a new secret must match SECRET_FORM");
      const at = now();
      const { absoluteTimeoutMs, idleTimeoutMs } = settings();
      table.deleteSessionsBefore(at - absoluteTimeoutMs - KEEP_ENDED_MS, at - idleTimeoutMs - KEEP_ENDED_MS);
      table.addSession(hash, { id, username: account.username, now: at, isGuest });
      saveTime();
      revocations.register(id, account.username);
      const lifetimeMs = isGuest ? Math.min(GUEST_LIFETIME_MS, absoluteTimeoutMs) : absoluteTimeoutMs;
      return { credentialId: id, kind: "session", account, isGuest, token: secret, lifetimeMs };
    },

    session(token: string): SignedIn {
      const hash = hashSecret(token, "");
      const row = hash && table.session(hash);
      if (!row) throw new NotSignedInError("You are not signed in.");
      const at = now();
      const { idleTimeoutMs, absoluteTimeoutMs } = settings();
      const { id, username, role, created_at } = row;
      const isGuest = row.is_guest === 1;
      const lifetimeMs = isGuest ? Math.min(GUEST_LIFETIME_MS, absoluteTimeoutMs) : absoluteTimeoutMs;
      if (at - row.started >= lifetimeMs || at - row.used >= idleTimeoutMs) {
        revocations.report({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("Your session has ended. Sign in again.");
      }
      if (at - row.used >= Math.min(USE_INTERVAL_MS, idleTimeoutMs / 10))
        recordUse(dependencies, () => table.useSession(id, at));
      revocations.register(id, username);
      const account = { username, role, createdAt: created_at };
      return { credentialId: id, kind: "session", account, isGuest };
    },

    signOut(id: string): void {
      const username = database.durably(() => table.endSession(id));
      if (username !== undefined) revocations.report({ username, credentialIds: [id], reason: "signed-out" });
    },
  };
}

function tokenMethods(dependencies: CredentialDependencies) {
  const { database, table, now, revocations } = dependencies;
  return {
    createToken(
      username: string,
      name: string,
      { scope = "manage", lifetimeMs }: NewToken = {},
    ): { token: string; info: TokenInfo } {
      const parsed = TokenName.safeParse(name, { error: plainIssue });
      if (!parsed.success) {
        throw new InvalidRequestError(`The token name is not valid: ${plainReason(parsed.error)}.`);
      }
      const { secret, id } = newSecret("mh_");
      const hash = hashSecret(secret, "mh_");
      if (!hash) throw new Error("a new secret must match SECRET_FORM");
      const expires = lifetimeMs === undefined ? null : now() + lifetimeMs;
      const info: TokenInfo = {
        id,
        name: parsed.data,
        username,
        scope,
        createdAt: new Date().toISOString(),
        ...(expires !== null && { expiresAt: new Date(expires).toISOString() }),
      };
      database.durably(() => {
        if (table.hasToken(username, info.name)) {
          throw new AlreadyExistsError(`You already have a token named ${info.name}.`, {
            suggestions: ["Revoke it first, or choose another name."],
          });
        }
        table.addToken(hash, info, expires);
      });
      return { token: secret, info };
    },

    revokeToken(username: string, idOrName: string): void {
      const id = database.durably(() => {
        const found = table
          .tokens(username)
          .find((token) => token.id === idOrName || token.name === idOrName);
        if (!found)
          throw new NotFoundError("There is no such token.", {
            suggestions: table.tokens(username).map(({ name }) => name),
          });
        table.endToken(found.id);
        return found.id;
      });
      revocations.report({ username, credentialIds: [id], reason: "token-revoked" });
    },

    bearer(token: string): SignedIn {
      const hash = hashSecret(token, "mh_");
      const row = hash && table.token(hash);
      if (!row) throw new NotSignedInError("This token is not valid.", { suggestions: [NEW_TOKEN_ADVICE] });
      const { id, username, role, created_at, scope, expires, used_at } = row;
      if (expires !== null && now() >= expires) {
        revocations.report({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("This token has expired.", { suggestions: [NEW_TOKEN_ADVICE] });
      }
      const at = Date.now();
      if (used_at === null || Math.abs(at - Date.parse(used_at)) >= USE_INTERVAL_MS) {
        recordUse(dependencies, () => table.useToken(id, new Date(at).toISOString()));
      }
      revocations.register(id, username);
      const account = { username, role, createdAt: created_at };
      return { credentialId: id, kind: "token", account, isGuest: false, scope };
    },
  };
}

/** Records the last use. If the disk rejects writes, the session only appears unused for longer. */
function recordUse({ database, saveTime }: CredentialDependencies, write: () => void): void {
  writeIfPossible(() =>
    database.transaction(() => {
      write();
      saveTime();
    }),
  );
}

export type Credentials = ReturnType<typeof createCredentials>;

/** What to do when a bearer token is refused. */
export const NEW_TOKEN_ADVICE = "Create a new token: mh token create <name>";

const SECRET_BYTES = 32;
const SECRET_FORM = /^[A-Za-z0-9_-]{43}$/;

/** Creates a secret of 256 random bits and its public id. */
export function newSecret(prefix: "" | "mh_"): { secret: string; id: string } {
  const kind = prefix === "" ? "session" : "token";
  return {
    secret: prefix + randomBytes(SECRET_BYTES).toString("base64url"),
    id: `${kind}-${randomBytes(8).toString("hex")}`,
  };
}

/**
 * Returns the stored hash of a secret. 256 random bits cannot be guessed from a fast hash, and a lookup by hash reveals
 * nothing by its timing. Returns undefined for text of another form.
 */
export function hashSecret(secret: string, prefix: "" | "mh_"): Buffer | undefined {
  if (!secret.startsWith(prefix) || !SECRET_FORM.test(secret.slice(prefix.length))) return undefined;
  return createHash("sha256").update(secret).digest();
}
