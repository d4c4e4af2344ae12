import { z } from "zod";
import { Timestamp, Username } from "./ids.ts";

/** The roles a person with an account can have. */
export const AccountRole = z.enum(["owner", "member"]);
export type AccountRole = z.infer<typeof AccountRole>;

/** An account as lists show it, without its password hash. */
export const Account = z.strictObject({ username: Username, role: AccountRole, createdAt: Timestamp });
export type Account = z.infer<typeof Account>;

/**
 * The maximum rights of a token: `read` reads; `operate` also acts and writes; `manage` also approves, configures and
 * administers.
 */
export const TokenScope = z.enum(["read", "operate", "manage"]);
export type TokenScope = z.infer<typeof TokenScope>;

/** A bearer token as lists show it. Only the answer that creates a token contains its secret. */
export const TokenInfo = z.strictObject({
  id: z.string(),
  name: z.string(),
  username: Username,
  scope: TokenScope,
  createdAt: Timestamp,
  /** The time from which the token is refused; absent if it lasts until it is revoked. */
  expiresAt: Timestamp.optional(),
  lastUsedAt: Timestamp.optional(),
});
export type TokenInfo = z.infer<typeof TokenInfo>;

/** The name of a token, unique for its account. */
export const TokenName = z.string().trim().min(1, "give the token a name").max(64);
export type TokenName = z.infer<typeof TokenName>;
