import type { Caller } from "./caller.ts";
import { startOptions } from "./surface.ts";

/** A line in the caller's audit about what they did with the installation. */
export async function auditAs(
  caller: Caller,
  event: string,
  details: Record<string, unknown>,
): Promise<void> {
  const { surface } = startOptions(caller);
  await caller.profile.audit.append({ event, actor: caller.me.username, surface, details });
}
