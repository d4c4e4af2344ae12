import type { Account, AccountRole, TokenInfo, TokenScope } from "../contract/account.ts";

/** Where an attempt to sign in comes from: the connected address, or `cli`. */
export type Address = string;

export interface NewAccount {
  username: string;
  password: string;
  displayName?: string | undefined;
}

/** Somebody who showed a valid session or bearer token. */
export interface SignedIn {
  /** Names this session or token in lists and revocations; not a secret. */
  credentialId: string;
  kind: "session" | "token";
  /** Whose profile it is. */
  account: Account;
  /** A guest of that profile, not the person it belongs to. */
  isGuest: boolean;
  /** What a token may do at most; absent for a session. */
  scope?: TokenScope;
}

export interface NewToken {
  /** `manage`, when missing: everything its owner may do. */
  scope?: TokenScope;
  /** How long it lasts; until it is revoked, when missing. */
  lifetimeMs?: number;
}

/** A new session. `token` is the only copy of the secret: it belongs in the cookie and nowhere else. */
export interface NewSession extends SignedIn {
  kind: "session";
  token: string;
  /** How long the session can last at most, in milliseconds: the cookie's Max-Age. */
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
  /** By another process, which knows why. */
  | "ended-elsewhere";

/** Sessions or tokens that are no longer valid; whatever is still streaming to them must end. */
export interface Revocation {
  username: string;
  credentialIds: readonly string[];
  reason: RevocationReason;
}

/**
 * Who may come in. Names, roles and passwords; sessions (cookie) and tokens (bearer). Only hashes of secrets are stored.
 * The clock used for expiry never runs backwards, also over restarts.
 */
export interface Accounts {
  isEmpty(): Promise<boolean>;
  /** The code that lets a browser elsewhere create the first owner; undefined once there is an account. Kept in memory only. */
  setupCode(): Promise<string | undefined>;
  /**
   * Creates the first owner with their profile and signs them in. `ConflictError` when there is an account already;
   * `ForbiddenError` unless `fromLoopback` or `setupCode` is right; `RateLimitedError` after too many wrong codes.
   */
  setup(
    request: NewAccount & { setupCode?: string | undefined },
    from: { address: Address; fromLoopback: boolean },
  ): Promise<NewSession>;
  /** `AlreadyExistsError` for a taken name; `InvalidRequestError` for a bad name or password. */
  add(account: NewAccount & { role: AccountRole }): Promise<Account>;
  /**
   * Ends everything that is signed in and moves the profile's folder out of reach of the name's next owner.
   * `NotFoundError`; `ConflictError` for the last owner.
   */
  remove(username: string): Promise<void>;
  list(): Promise<Account[]>;
  /** `NotFoundError` for a name without an account. */
  get(username: string): Promise<Account>;
  /** Ends the person's sessions. `ConflictError` when no owner would be left. */
  setRole(username: string, role: AccountRole): Promise<Account>;

  /** Takes as long for an unknown name as for a wrong password. Counts towards no limit: doors call `signIn`. */
  verifyPassword(username: string, password: string): Promise<boolean>;
  /** `WrongCredentialsError`; `RateLimitedError` with `context.retryAfterMs` after too many, for the right password too. */
  signIn(request: { username: string; password: string }, from: { address: Address }): Promise<NewSession>;
  /** Ends all other sessions and all tokens of the account; a `keep` session lives on. Errors as `signIn`. */
  changePassword(
    username: string,
    passwords: { current: string; next: string },
    from: { address: Address; keep?: string | undefined },
  ): Promise<void>;
  /** The profiles that take guests, by name. */
  publicProfiles(): Promise<string[]>;
  /** Whether a profile takes guests; `false` ends their sessions. `NotFoundError` for a name without an account. */
  setPublic(username: string, isPublic: boolean): Promise<void>;
  /** `NotFoundError` for a name whose profile takes no guests, or that nobody has. */
  signInAsGuest(username: string): Promise<NewSession>;
  /** Without the old one, for owners and the command line; ends all sessions and tokens of the account. */
  setPassword(username: string, password: string): Promise<void>;

  /** Who holds this session. `NotSignedInError` when it never was or was ended, `SessionExpiredError` when its time is over. */
  session(token: string): Promise<SignedIn>;
  /** Ends one session by its id; no error when it is already gone. */
  signOut(credentialId: string): Promise<void>;

  /** `token` is shown once and cannot be read again. `AlreadyExistsError` for a name in use by this person. */
  createToken(
    username: string,
    name: string,
    options?: NewToken,
  ): Promise<{ token: string; info: TokenInfo }>;
  tokens(username: string): Promise<TokenInfo[]>;
  /** By id or name; `NotFoundError`. */
  revokeToken(username: string, idOrName: string): Promise<void>;
  /** Who holds this bearer token; `NotSignedInError`, `SessionExpiredError` when its time is over. */
  bearer(token: string): Promise<SignedIn>;

  /** Called within seconds of the end of any session or token seen by this process, also when another process ended it. */
  onRevoked(listener: (revocation: Revocation) => void): () => void;
  close(): void;
}
