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

/** "Last used" is written down at most this often: a page makes many requests. */
const NOTE_USE_EVERY_MS = 60_000;
/** A guest comes back without a password anyway. */
const GUEST_LIFETIME_MS = 86_400_000;
/** For how long somebody who comes with an ended session is told that it expired. */
const REMEMBER_ENDED_MS = 7 * 86_400_000;

export interface CredentialParts {
  database: Database;
  table: CredentialTable;
  settings: () => ServerConfig["session"];
  /** The clock of expiry, in milliseconds. */
  now: () => number;
  /** Keeps the clock's time for the next process. */
  keepTime: () => void;
  revocations: Revocations;
}

/** Sessions and bearer tokens: making, recognising and ending them. */
export function createCredentials({
  database,
  table,
  settings,
  now,
  keepTime,
  revocations,
}: CredentialParts) {
  /** A disk that takes no writes keeps nobody from reading: the session only seems unused for longer. */
  function noteUse(write: () => void): void {
    writeIfPossible(() =>
      database.transaction(() => {
        write();
        keepTime();
      }),
    );
  }

  return {
    /** Only inside a transaction that has made sure of the account. */
    startSession(account: Account, { isGuest = false } = {}): NewSession {
      const { secret, id } = newSecret("");
      const hash = hashSecret(secret, "");
      if (!hash) throw new Error("a new secret has the form of a secret");
      const at = now();
      const { absoluteTimeoutMs, idleTimeoutMs } = settings();
      table.forgetSessions(
        at - absoluteTimeoutMs - REMEMBER_ENDED_MS,
        at - idleTimeoutMs - REMEMBER_ENDED_MS,
      );
      table.addSession(hash, { id, username: account.username, now: at, isGuest });
      keepTime();
      revocations.seen(id, account.username);
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
        revocations.tell({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("Your session has ended. Sign in again.");
      }
      if (at - row.used >= Math.min(NOTE_USE_EVERY_MS, idleTimeoutMs / 10))
        noteUse(() => table.useSession(id, at));
      revocations.seen(id, username);
      const account = { username, role, createdAt: created_at };
      return { credentialId: id, kind: "session", account, isGuest };
    },

    signOut(id: string): void {
      const username = database.durably(() => table.endSession(id));
      if (username !== undefined) revocations.tell({ username, credentialIds: [id], reason: "signed-out" });
    },

    createToken(
      username: string,
      name: string,
      { scope = "manage", lifetimeMs }: NewToken = {},
    ): { token: string; info: TokenInfo } {
      const parsed = TokenName.safeParse(name, { error: plainIssue });
      if (!parsed.success) {
        throw new InvalidRequestError(`This cannot be a token's name: ${plainReason(parsed.error)}.`);
      }
      const { secret, id } = newSecret("mh_");
      const hash = hashSecret(secret, "mh_");
      if (!hash) throw new Error("a new secret has the form of a secret");
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
        if (table.tokens(username).some((token) => token.name === info.name)) {
          throw new AlreadyExistsError(`You have a token named ${info.name} already.`, {
            suggestions: [`Revoke it first, or take another name.`],
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
      revocations.tell({ username, credentialIds: [id], reason: "token-revoked" });
    },

    bearer(token: string): SignedIn {
      const hash = hashSecret(token, "mh_");
      const row = hash && table.token(hash);
      if (!row) throw new NotSignedInError("This token is not valid.");
      const { id, username, role, created_at, scope, expires, used_at } = row;
      if (expires !== null && now() >= expires) {
        revocations.tell({ username, credentialIds: [id], reason: "expired" });
        throw new SessionExpiredError("This token has expired. Make a new one: mh token create.");
      }
      const at = Date.now();
      if (used_at === null || Math.abs(at - Date.parse(used_at)) >= NOTE_USE_EVERY_MS) {
        noteUse(() => table.useToken(id, new Date(at).toISOString()));
      }
      revocations.seen(id, username);
      const account = { username, role, createdAt: created_at };
      return { credentialId: id, kind: "token", account, isGuest: false, scope };
    },
  };
}

export type Credentials = ReturnType<typeof createCredentials>;

const SECRET_BYTES = 32;
const SECRET_FORM = /^[A-Za-z0-9_-]{43}$/;

/** A new secret of 256 random bits, and the name under which lists and revocations know it. */
export function newSecret(prefix: "" | "mh_"): { secret: string; id: string } {
  const kind = prefix === "" ? "session" : "token";
  return {
    secret: prefix + randomBytes(SECRET_BYTES).toString("base64url"),
    id: `${kind}-${randomBytes(8).toString("hex")}`,
  };
}

/**
 * What is stored of a secret. 256 random bits cannot be guessed from a fast hash, and looking one up by its hash tells
 * nothing by its timing. Undefined for anything that cannot be such a secret.
 */
export function hashSecret(secret: string, prefix: "" | "mh_"): Buffer | undefined {
  if (!secret.startsWith(prefix) || !SECRET_FORM.test(secret.slice(prefix.length))) return undefined;
  return createHash("sha256").update(secret).digest();
}
