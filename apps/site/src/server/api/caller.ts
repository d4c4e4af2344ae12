import type { Brain, Profile } from "@metahuman/boot/brain";
import { MetahumanError } from "@metahuman/boot/errors";
import { securityPolicy } from "@metahuman/boot/security-policy";
import type { SecurityPolicy } from "@metahuman/boot/security-policy";
import type { Me } from "@metahuman/core/contract/profile";
import { sessionToken } from "./session-cookie.ts";

/** Somebody who is signed in, with their profile open and what they may do worked out for this request. */
export interface Caller {
  /** Names the session or token; not a secret. */
  credentialId: string;
  /** A cookie comes along by itself, a bearer token is sent on purpose. */
  kind: "session" | "token";
  me: Me;
  profile: Profile;
  policy: SecurityPolicy;
}

type SignedIn = Awaited<ReturnType<Brain["accounts"]["session"]>>;

/** Who a request comes from: `{}` for nobody; `refusal` says why a credential that was shown does not count. */
export async function identify(
  headers: Headers,
  brain: Brain,
): Promise<{ caller?: Caller; refusal?: Error }> {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const cookie = bearer === undefined ? sessionToken(headers) : undefined;
  if (bearer === undefined && cookie === undefined) return {};
  try {
    const signedIn = await (bearer === undefined
      ? brain.accounts.session(cookie ?? "")
      : brain.accounts.bearer(bearer));
    const profile = await brain.profile(signedIn.account.username);
    return { caller: await callerIn(profile, signedIn) };
  } catch (error) {
    if (error instanceof MetahumanError && signInCodes.has(error.code)) return { refusal: error };
    throw error;
  }
}

const signInCodes: ReadonlySet<string> = new Set(["NOT_SIGNED_IN", "SESSION_EXPIRED"]);

/** The caller as their settings stand now. */
export async function callerIn(
  profile: Profile,
  { credentialId, kind, account, isGuest, scope }: SignedIn,
): Promise<Caller> {
  const { displayName, mode, trustLevel } = await profile.store.settings();
  const { username, createdAt } = account;
  if (isGuest) {
    const guest = { role: "guest", mode: "emulation", trustLevel: "observe" } as const;
    return {
      credentialId,
      kind,
      me: { username, displayName, ...guest, createdAt },
      profile,
      // Guests of one profile are told apart by their sessions: none goes on with another's conversation.
      policy: securityPolicy({ ...guest, username: `guest-${credentialId.replace(/^session-/, "")}` }),
    };
  }
  const { role } = account;
  return {
    credentialId,
    kind,
    me: { username, displayName, role, mode, trustLevel, createdAt },
    profile,
    policy: securityPolicy({ role, username, mode, trustLevel }, scope),
  };
}
