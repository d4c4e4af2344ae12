import type { Revocation } from "./accounts.ts";

/** The polling interval for sessions that other processes or time end, in milliseconds. */
const POLL_INTERVAL_MS = 1_000;
/** The number of polls after which expiry is checked even without a change of the database. */
const EXPIRY_CHECK_INTERVAL = 30;

export interface Revocations {
  /** Registers a session or token in use, so that its end is reported. */
  register(credentialId: string, username: string): void;
  report(revocation: Revocation): void;
  listen(listener: (revocation: Revocation) => void): () => void;
  close(): void;
}

/** The store of sessions and tokens. */
export interface CredentialState {
  /** Returns the given sessions and tokens that are still valid. */
  live(credentialIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns a number that changes when another process changes the store. */
  version(): Promise<number>;
  /** The version when the store was opened, before any session or token was in use. */
  initialVersion: number;
}

/**
 * Reports the end of sessions and tokens. Ends in this process are reported at once; polling the store
 * finds those of other processes and expired ones. The next poll compensates for a failed one.
 */
export function createRevocations(state: CredentialState): Revocations {
  const inUse = new Map<string, string>();
  const listeners = new Set<(revocation: Revocation) => void>();
  let timer: NodeJS.Timeout | undefined;
  let polls = 0;
  let polling: Promise<void> | undefined;
  let known = state.initialVersion;
  let hasFailed = false;
  let isClosed = false;

  function report({ credentialIds, ...revocation }: Revocation): void {
    // A poll may have reported an expired one already. One that was never used here has no streams here.
    const ended = credentialIds.filter((id) => inUse.delete(id) || revocation.reason !== "expired");
    if (ended.length === 0) return;
    for (const listener of listeners) listener({ ...revocation, credentialIds: ended });
  }

  async function checkForEnds(): Promise<void> {
    polls += 1;
    try {
      const version = await state.version();
      const isChanged = version !== known;
      if (!isChanged && !hasFailed && polls % EXPIRY_CHECK_INTERVAL !== 0) return;
      const ids = [...inUse.keys()];
      const live = await state.live(ids);
      if (isClosed) return;
      const reason = isChanged ? "ended-elsewhere" : "expired";
      known = version;
      hasFailed = false;
      for (const id of ids) {
        const username = inUse.get(id);
        // One that ended in this process meanwhile is already reported.
        if (username !== undefined && !live.has(id)) report({ username, credentialIds: [id], reason });
      }
    } catch {
      // The next poll checks everything.
      hasFailed = true;
    }
  }

  const poll = (): void => {
    polling ??= checkForEnds().finally(() => (polling = undefined));
  };

  return {
    register: (credentialId, username) => void inUse.set(credentialId, username),
    report,
    listen(listener) {
      listeners.add(listener);
      if (timer === undefined) {
        timer = setInterval(poll, POLL_INTERVAL_MS).unref();
        poll();
      }
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      listeners.clear();
    },
  };
}
