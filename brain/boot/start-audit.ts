import type { ProfileStore } from "@metahuman/core/profiles/profile-store";
import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { Logger } from "@metahuman/core/log/logger";

const FIRST_ANCHOR_AFTER_MS = 60_000;
const ANCHOR_CHECK_MS = 3_600_000;

/**
 * Starts to sign a profile's audit log and, with `anchors` and if configured, to anchor it once a day. Closing the result
 * closes the log.
 */
export async function startAudit(
  audit: AuditLog,
  { logger, anchors }: { logger: Logger; anchors: boolean },
): Promise<AuditLog> {
  try {
    const recorded = await audit.startSigning();
    if (recorded !== undefined)
      logger.info({ event: recorded }, "the audit log is signed with the present key from now on");
  } catch (error) {
    logger.warn({ err: error }, "the audit log could not be signed");
  }
  if (!anchors) return audit;

  let working: Promise<unknown> = Promise.resolve();
  const anchor = (): void => {
    working = audit
      .anchorIfDue()
      .catch((error: unknown) => logger.warn({ err: error }, "the anchor file could not be written"));
  };
  const first = setTimeout(anchor, FIRST_ANCHOR_AFTER_MS).unref();
  const hourly = setInterval(anchor, ANCHOR_CHECK_MS).unref();
  return {
    ...audit,
    async close() {
      clearTimeout(first);
      clearInterval(hourly);
      await working;
      await audit.close();
    },
  };
}

/** Returns the store with an audit entry for each change of settings or persona. */
export function auditedStore(store: ProfileStore, audit: AuditLog): ProfileStore {
  const actor = store.username;
  return {
    ...store,
    async changeSettings(edit) {
      const before = await store.settings();
      const after = await store.changeSettings(edit);
      await audit.append({ event: "settings_changed", actor, details: changesBetween(before, after) });
      return after;
    },
    async changePersona(edit) {
      const before = await store.persona();
      const after = await store.changePersona(edit);
      await audit.append({ event: "persona_changed", actor, details: changesBetween(before, after) });
      return after;
    },
  };
}

/** Returns the changed fields with their old and new values. */
function changesBetween(before: object, after: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before));
  const fields = new Map<string, unknown>(Object.entries(after));
  const changed = [...fields].filter(([field, to]) => JSON.stringify(old.get(field)) !== JSON.stringify(to));
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: old.get(field), to }]));
}
