import type { Brain } from "@metahuman/boot/brain";
import type { RouteContext } from "./route.ts";

/**
 * Records a sign-in with a wrong name or password: in the audit log of the account, or in those of the owners if no account
 * has this name. A name that no account has is not recorded, because some people type their password there. Returns at
 * once, so that the time of the response does not tell whether the account exists; failures are logged.
 */
export function recordFailedSignIn(
  username: string,
  { brain, connection, log }: Pick<RouteContext, "brain" | "connection" | "log">,
): void {
  void record(username, brain, connection.address).catch((error: unknown) =>
    log.error({ err: error }, "a failed sign-in could not be recorded"),
  );
}

async function record(username: string, { accounts, profile }: Brain, address: string): Promise<void> {
  const all = await accounts.list();
  const isKnown = all.some((account) => account.username === username);
  const recipients = all.filter((one) => (isKnown ? one.username === username : one.role === "owner"));
  for (const recipient of recipients) {
    const { audit } = await profile(recipient.username);
    await audit.append({
      event: "sign_in_failed",
      surface: "page",
      details: { address, ...(isKnown ? { account: username } : { reason: "No account has this name." }) },
    });
  }
}
