import { randomUUID } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import { parseJson } from "@metahuman/core/contract/parse-json";

const CHANNEL = "metahuman";
/** A payload may have 8 000 bytes. */
const MAX_PROFILE_BYTES = 7_000;
const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 30_000;

/** The process that sends a hint, and the profiles that it changed. */
const Hint = z.strictObject({ from: z.string(), profiles: z.array(z.string()) });

/**
 * Notifies the other processes of a database, with `NOTIFY`, which profiles this one changed, so that they check for
 * changes at once. Hints contain only names of profiles: every user of the database may listen. A hint may be lost, so
 * readers of every change also poll.
 */
export interface ChangeHints {
  /** Sends a hint after a commit. Hints that wait for the connection are sent together. */
  announce(profile: string): void;
  /** Calls `listener` when another process changed the profile. Returns a function that removes it. */
  listen(profile: string, listener: () => void): () => void;
  /** True if hints arrive: this process receives its own. */
  isListening(): boolean;
  close(): Promise<void>;
}

/**
 * Uses one connection of its own, which it opens with the first call and replaces when it is lost. `onProblem` is called
 * once for each loss.
 */
export function openChangeHints(
  url: string,
  {
    applicationName = "metahuman",
    onProblem = () => undefined,
  }: { applicationName?: string; onProblem?: (error: unknown) => void } = {},
): ChangeHints {
  const ownId = randomUUID();
  const listeners = new Map<string, Set<() => void>>();
  const changed = new Set<string>();
  let client: pg.Client | undefined;
  let isConnected = false;
  let isClosed = false;
  let sending: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let retryMs = MIN_RETRY_MS;

  function notifyAll(profiles: Iterable<string>): void {
    for (const profile of profiles) for (const listener of listeners.get(profile) ?? []) listener();
  }

  function receive(payload: string | undefined): void {
    // Anybody may notify on this channel.
    const hint = Hint.safeParse(parseJson(payload ?? "")).data;
    if (hint?.from === ownId) {
      isConnected = true;
      retryMs = MIN_RETRY_MS;
    } else if (hint) notifyAll(hint.profiles);
  }

  function disconnect(lost: pg.Client, error: unknown): void {
    if (client !== lost) return;
    client = undefined;
    isConnected = false;
    lost.end().catch(onProblem);
    if (isClosed) return;
    onProblem(error);
    retry = setTimeout(connect, retryMs).unref();
    retryMs = Math.min(2 * retryMs, MAX_RETRY_MS);
  }

  function connect(): void {
    retry = undefined;
    const opened = new pg.Client({
      connectionString: url,
      application_name: `${applicationName} hints`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    client = opened;
    opened.on("error", (error) => disconnect(opened, error));
    opened.on("end", () => disconnect(opened, undefined));
    opened.on("notification", ({ payload }) => receive(payload));
    const listening = async () => {
      await opened.connect();
      await opened.query(`LISTEN ${CHANNEL}`);
      await send(opened, []);
      // Other processes may have changed any profile while this one did not listen.
      notifyAll(listeners.keys());
    };
    sending = listening()
      .catch((error: unknown) => disconnect(opened, error))
      .finally(() => {
        sending = undefined;
        sendAll();
      });
  }

  const send = (through: pg.Client, profiles: string[]) =>
    through.query("SELECT pg_notify($1, $2)", [CHANNEL, JSON.stringify({ from: ownId, profiles })]);

  /** Sends the profiles that changed while the last hint was being sent. */
  function sendAll(): void {
    const through = client;
    if (sending || !through || changed.size === 0) return;
    sending = send(through, takeBatch(changed))
      .then(() => undefined)
      .catch((error: unknown) => disconnect(through, error))
      .finally(() => {
        sending = undefined;
        sendAll();
      });
  }

  function start(): void {
    if (!client && retry === undefined && !isClosed) connect();
  }

  return {
    announce(profile) {
      // Hints that cannot be sent now are of no use later.
      if (!client && retry !== undefined) return;
      changed.add(profile);
      start();
      sendAll();
    },
    listen(profile, listener) {
      start();
      const known = listeners.get(profile) ?? new Set();
      listeners.set(profile, known.add(listener));
      return () => {
        known.delete(listener);
        if (known.size === 0) listeners.delete(profile);
      };
    },
    isListening: () => isConnected,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
}

/** Removes as many profiles as fit into one payload, in their order, and returns them. */
function takeBatch(changed: Set<string>): string[] {
  const batch: string[] = [];
  let bytes = 0;
  for (const profile of changed) {
    bytes += Buffer.byteLength(JSON.stringify(profile)) + 1;
    const isTooLong = bytes > MAX_PROFILE_BYTES;
    if (isTooLong && batch.length > 0) break;
    // Others notice the changes of a profile whose name is too long for any payload when they poll.
    if (!isTooLong) batch.push(profile);
    changed.delete(profile);
    if (isTooLong) break;
  }
  return batch;
}
