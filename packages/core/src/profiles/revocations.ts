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

/** What is asked of the store of sessions and tokens. */
export interface CredentialState {
  /** Those of the given sessions and tokens that are still valid. */
  live(credentialIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** A number that changes whenever another process changes the store. */
  version(): Promise<number>;
}

/**
 * Reports the end of sessions and tokens. Ends made in this process are reported as they are made; a look at the store
 * finds those made by others and those whose time is over. A look that fails is made up for by the next one.
 */
export function createRevocations(state: CredentialState): Revocations {
  const inUse = new Map<string, string>();
  const listeners = new Set<(revocation: Revocation) => void>();
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let looking: Promise<void> | undefined;
  /** Undefined when something may have changed unseen. */
  let known: number | undefined;
  let closed = false;

  function tell(revocation: Revocation): void {
    for (const id of revocation.credentialIds) inUse.delete(id);
    if (revocation.credentialIds.length === 0) return;
    for (const listener of listeners) listener(revocation);
  }

  async function lookForEnds(): Promise<void> {
    looks += 1;
    try {
      const version = await state.version();
      const isChanged = version !== known;
      if (!isChanged && looks % LOOK_AT_TIME_EVERY !== 0) return;
      const ids = [...inUse.keys()];
      const live = await state.live(ids);
      if (closed) return;
      const reason = isChanged ? "ended-elsewhere" : "expired";
      known = version;
      for (const id of ids) {
        const username = inUse.get(id);
        // One that ended here meanwhile has been reported.
        if (username !== undefined && !live.has(id)) tell({ username, credentialIds: [id], reason });
      }
    } catch {
      // The next look asks about everything.
      known = undefined;
    }
  }

  const look = (): void => {
    looking ??= lookForEnds().finally(() => (looking = undefined));
  };

  return {
    seen: (credentialId, username) => void inUse.set(credentialId, username),
    tell,
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(look, LOOK_EVERY_MS).unref();
        look();
      }
      return () => void listeners.delete(listener);
    },
    close() {
      closed = true;
      clearInterval(timer);
      listeners.clear();
    },
  };
}
