import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ProfileStore } from "@metahuman/core/profiles/profile-store";

/** The same store, with a line in the audit for every change of who somebody is and what their operator may do. */
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

/** The fields that differ, as they were and as they are. */
function changesBetween(before: object, after: object): Record<string, unknown> {
  const old = new Map<string, unknown>(Object.entries(before));
  const fields = new Map<string, unknown>(Object.entries(after));
  const changed = [...fields].filter(([field, to]) => JSON.stringify(old.get(field)) !== JSON.stringify(to));
  return Object.fromEntries(changed.map(([field, to]) => [field, { from: old.get(field), to }]));
}
