import { z } from "zod";
import { Timestamp, Username } from "./ids.ts";

/** The roles a person with an account can have. */
export const AccountRole = z.enum(["owner", "member"]);
export type AccountRole = z.infer<typeof AccountRole>;

export const Account = z.strictObject({ username: Username, role: AccountRole, createdAt: Timestamp });
export type Account = z.infer<typeof Account>;

/** What a token may do at most: look; also act and write; also decide, configure and administer. */
export const TokenScope = z.enum(["read", "operate", "manage"]);
export type TokenScope = z.infer<typeof TokenScope>;

/** A bearer token as lists show it; the secret itself is shown once, when it is made. */
export const TokenInfo = z.strictObject({
  id: z.string(),
  name: z.string(),
  username: Username,
  scope: TokenScope,
  createdAt: Timestamp,
  /** From then on it is refused; absent for one that lasts until it is revoked. */
  expiresAt: Timestamp.optional(),
  lastUsedAt: Timestamp.optional(),
});
export type TokenInfo = z.infer<typeof TokenInfo>;

export const TokenName = z.string().trim().min(1, "give the token a name").max(64);
export type TokenName = z.infer<typeof TokenName>;
