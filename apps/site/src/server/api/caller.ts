import type { Brain, Profile, FunctionActor, StartOptions, ModelControl } from "@metahuman/boot/brain";
import { MetahumanError } from "@metahuman/core/errors/metahuman-error";
import { securityPolicy, type SecurityPolicy } from "@metahuman/core/policy/security-policy";
import type { Account } from "@metahuman/core/contract/account";
import type { Me } from "@metahuman/core/contract/profile";
import { sessionToken } from "./session-cookie.ts";
import { auditedModelControl } from "@metahuman/boot/audited-model-control";

/** A signed-in person with their open profile and their permissions for this request. */
export interface Caller {
  /** Identifies the session or token; not a secret. */
  credentialId: string;
  /** A browser sends a session cookie by itself, so only sessions need origin checks. */
  kind: "session" | "token";
  me: Me;
  profile: Profile;
  policy: SecurityPolicy;
}

type SignedIn = Awaited<ReturnType<Brain["accounts"]["session"]>>;

/** Opens a profile, which stays open until the response to the request has ended. */
export type OpenProfile = (account: Account) => Promise<Profile>;

/**
 * Identifies the caller of a request; `{}` without credentials. `refusal` is the error of an invalid credential. Calls
 * `onSignedIn` with the id of a valid one, before the profile is opened.
 */
export async function identify(
  headers: Headers,
  {
    brain,
    openProfile,
    onSignedIn,
  }: { brain: Brain; openProfile: OpenProfile; onSignedIn?: (credentialId: string) => void },
): Promise<{ caller?: Caller; refusal?: Error }> {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const cookie = bearer === undefined ? sessionToken(headers) : undefined;
  if (bearer === undefined && cookie === undefined) return {};
  try {
    const signedIn = await (bearer === undefined
      ? brain.accounts.session(cookie ?? "")
      : brain.accounts.bearer(bearer));
    onSignedIn?.(signedIn.credentialId);
    const profile = await openProfile(signedIn.account);
    return { caller: await callerIn(profile, signedIn) };
  } catch (error) {
    if (error instanceof MetahumanError && signInCodes.has(error.code)) return { refusal: error };
    throw error;
  }
}

const signInCodes: ReadonlySet<string> = new Set(["NOT_SIGNED_IN", "SESSION_EXPIRED"]);

/** The caller with their current settings. */
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
      // A name per session keeps guests out of each other's conversations.
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

export function functionActor({ kind, policy: { identity } }: Caller): FunctionActor {
  return {
    by: identity.username ?? "nobody",
    isPerson: true,
    isOwner: identity.role === "owner",
    surface: kind === "session" ? "page" : "api",
  };
}

/** The identity and surface of a caller: the page uses a session cookie, scripts a token. */
export function startOptions({ kind, policy }: Pick<Caller, "kind" | "policy">): StartOptions {
  return { identity: policy.identity, surface: kind === "session" ? "page" : "api" };
}

/** Records an action on the installation in the caller's audit. */
export async function auditAction(
  caller: Caller,
  event: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { surface } = startOptions(caller);
  await caller.profile.audit.append({ event, actor: caller.me.username, surface, details });
}

/** Model control that records changes in the caller's audit. */
export function modelControlFor({ modelControl }: Brain, caller: Caller): ModelControl {
  const { surface } = startOptions(caller);
  return auditedModelControl(modelControl, caller.profile.audit, { actor: caller.me.username, surface });
}
