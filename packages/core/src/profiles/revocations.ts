import type { Revocation } from "./accounts.ts";

/** How often the end of sessions by other processes, or by time, is looked for. */
const LOOK_EVERY_MS = 1_000;
/** Time alone ends sessions too, without any change to the database. */
const LOOK_AT_TIME_EVERY = 30;

export interface Revocations {
  /** Somebody is using this session or token here: its end must be told. */
  seen(credentialId: string, username: string): void;
  tell(revocation: Revocation): void;
  listen(listener: (revocation: Revocation) => void): () => void;
  close(): void;
}

/**
 * Tells when sessions and tokens end. Ends made in this process are told as they are made; a look at the database finds
 * those made by others and those whose time is over. `changes` tells when the database was changed by others.
 */
export function createRevocations(
  isLive: (credentialId: string) => boolean,
  changes: () => number,
): Revocations {
  const inUse = new Map<string, string>();
  const listeners = new Set<(revocation: Revocation) => void>();
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let known = changes();

  function tell(revocation: Revocation): void {
    for (const id of revocation.credentialIds) inUse.delete(id);
    if (revocation.credentialIds.length === 0) return;
    for (const listener of listeners) listener(revocation);
  }

  function look(): void {
    looks += 1;
    const now = changes();
    const changed = now !== known;
    if (!changed && looks % LOOK_AT_TIME_EVERY !== 0) return;
    known = now;
    for (const [id, username] of [...inUse]) {
      if (!isLive(id))
        tell({ username, credentialIds: [id], reason: changed ? "ended-elsewhere" : "expired" });
    }
  }

  return {
    seen: (credentialId, username) => void inUse.set(credentialId, username),
    tell,
    listen(listener) {
      listeners.add(listener);
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
      return () => void listeners.delete(listener);
    },
    close() {
      clearInterval(timer);
      listeners.clear();
    },
  };
}
