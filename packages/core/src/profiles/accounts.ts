import type { Account, AccountRole, TokenInfo, TokenScope } from "../contract/account.ts";
import type { ConflictError } from "../errors/request-errors.ts";

/** The source of a sign-in attempt: the client's address, or `cli`. */
export type Address = string;

export interface NewAccount {
  username: string;
  password: string;
  displayName?: string | undefined;
}

/** The holder of a valid session or bearer token. */
export interface SignedIn {
  /** Identifies this session or token in lists and revocations; not a secret. */
  credentialId: string;
  kind: "session" | "token";
  /** The owner of the profile. */
  account: Account;
  /** Whether this is a guest of the profile instead of its owner. */
  isGuest: boolean;
  /** The maximum permissions of a token; absent for a session. */
  scope?: TokenScope;
}

export interface NewToken {
  /** Default: `manage`, all permissions of the owner. */
  scope?: TokenScope;
  /** The lifetime in milliseconds. By default, the token is valid until revoked. */
  lifetimeMs?: number;
}

/** A new session. `token` is the only copy of the secret and belongs only in the cookie. */
export interface NewSession extends SignedIn {
  kind: "session";
  token: string;
  /** The maximum lifetime of the session in milliseconds: the cookie's Max-Age. */
  lifetimeMs: number;
}

export type RevocationReason =
  | "signed-out"
  | "password-changed"
  | "role-changed"
  | "account-removed"
  | "guests-ended"
  | "token-revoked"
  | "expired"
  /** Ended by another process. */
  | "ended-elsewhere";

/** Sessions or tokens that are no longer valid. Their streams must end. */
export interface Revocation {
  username: string;
  credentialIds: readonly string[];
  reason: RevocationReason;
}

/**
 * Accounts with names, roles and passwords, their sessions (cookie) and tokens (bearer). Only hashes of secrets are stored.
 * The clock for expiry never runs backwards, even across restarts.
 */
export interface Accounts {
  isEmpty(): Promise<boolean>;
  /** Why no owner can be created although there is no account: a migration has not ended. Undefined otherwise. */
  setupProblem(): Promise<ConflictError | undefined>;
  /**
   * The code with which a remote browser can create the first owner; undefined once an account exists, and while a migration
   * has not ended.
   */
  setupCode(): Promise<string | undefined>;
  /**
   * Creates the first owner with a profile and signs them in. Throws `ConflictError` if an account exists or a migration has not ended,
   * `ForbiddenError` unless `fromLoopback` is set or `setupCode` is correct, and `RateLimitedError` after too many wrong codes.
   */
  setup(
    request: NewAccount & { setupCode?: string | undefined },
    from: { address: Address; fromLoopback: boolean },
  ): Promise<NewSession>;
  /** Throws `AlreadyExistsError` for a taken name and `InvalidRequestError` for an invalid name or password. */
  add(account: NewAccount & { role: AccountRole }): Promise<Account>;
  /**
   * Ends all sessions and tokens, calls `release`, which closes the profile, and moves the profile's folder away.
   * Throws `NotFoundError`, and `ConflictError` for the last owner.
   */
  remove(username: string, release?: () => Promise<void>): Promise<void>;
  list(): Promise<Account[]>;
  /** Throws `NotFoundError` for a name without an account. */
  get(username: string): Promise<Account>;
  /** Changes the role and ends the account's sessions. Throws `ConflictError` if no owner would remain. */
  setRole(username: string, role: AccountRole): Promise<Account>;

  /** Takes as long for an unknown name as for a wrong password. Not rate-limited: surfaces call `signIn`. */
  verifyPassword(username: string, password: string): Promise<boolean>;
  /** Throws `WrongCredentialsError`, or `RateLimitedError` with `context.retryAfterMs` after too many attempts, even with the right password. */
  signIn(request: { username: string; password: string }, from: { address: Address }): Promise<NewSession>;
  /** Ends all tokens and all sessions of the account except `keep`. Throws as `signIn` does. */
  changePassword(
    username: string,
    passwords: { current: string; next: string },
    from: { address: Address; keep?: string | undefined },
  ): Promise<void>;
  /** The usernames of profiles that accept guests. */
  publicProfiles(): Promise<string[]>;
  /** Sets whether a profile accepts guests; `false` ends their sessions. Throws `NotFoundError` for a name without an account. */
  setPublic(username: string, isPublic: boolean): Promise<void>;
  /** Throws `NotFoundError` for an unknown name or a profile that accepts no guests. */
  signInAsGuest(username: string): Promise<NewSession>;
  /** Sets a password without the old one, for owners and the command line. Ends all sessions and tokens of the account. */
  setPassword(username: string, password: string): Promise<void>;

  /** Returns the holder of a session. Throws `NotSignedInError` if it does not exist and `SessionExpiredError` if it has expired. */
  session(token: string): Promise<SignedIn>;
  /** Ends a session by its id, if it exists. */
  signOut(credentialId: string): Promise<void>;

  /** Creates a token, which cannot be read again. Throws `AlreadyExistsError` if the account has a token of this name. */
  createToken(
    username: string,
    name: string,
    options?: NewToken,
  ): Promise<{ token: string; info: TokenInfo }>;
  tokens(username: string): Promise<TokenInfo[]>;
  /** Revokes a token by id or name. Throws `NotFoundError`. */
  revokeToken(username: string, idOrName: string): Promise<void>;
  /** Returns the holder of a bearer token. Throws `NotSignedInError`, or `SessionExpiredError` if it has expired. */
  bearer(token: string): Promise<SignedIn>;

  /** Stores when the profile has something scheduled next; null for nothing. Does nothing for an unknown name. */
  setNextMoment(username: string, at: string | null): Promise<void>;
  /**
   * The profiles that have had something scheduled for then or earlier, without `open`, which this process has
   * open. Where several processes share the accounts, only one of them gets a profile within half a minute, so that not all open it.
   */
  dueProfiles(now: Date, open: readonly string[]): Promise<string[]>;

  /** Calls `listener` within seconds when any process ends a session or token that this process has seen. */
  onRevoked(listener: (revocation: Revocation) => void): () => void;
  close(): void;
}
