import type { Profile, Brain } from "@metahuman/boot/brain";
import type { LiveUpdate } from "@metahuman/core/contract/live-updates";
import { setTimeout as sleep } from "node:timers/promises";
import type { ModelSituation } from "@metahuman/core/contract/models";

interface Listener {
  onUpdate(update: LiveUpdate): void;
  onError(error: unknown): void;
}

interface Watch {
  /** The last update of each type, for listeners added later. */
  known: Map<LiveUpdate["type"], { update: LiveUpdate; text: string }>;
  listeners: Set<Listener>;
  timer?: NodeJS.Timeout;
}

/** How often a watched profile is polled, in milliseconds. Other processes may change it. */
const PROFILE_POLL_MS = 1_000;

/** How often everything is read even without a change, in milliseconds: the next start of an agent also depends on settings of the server. */
const REREAD_MS = 60_000;

const MAX_UNENDED_RUNS = 200;
const MAX_LATEST_RUNS = 20;
const MAX_NOTICES = 20;

const watches = new WeakMap<Profile, Watch>();

/** Yields the state of a profile besides the events of its runs: each type once (the index when it is open), then again after it changes. A slow reader skips to the latest. */
export async function* profileUpdates(profile: Profile, signal: AbortSignal): AsyncGenerator<LiveUpdate> {
  const unseen = new Map<LiveUpdate["type"], LiveUpdate>();
  const failures: unknown[] = [];
  let notify = () => {};
  const unwatch = watch(profile, {
    onUpdate: (update) => {
      unseen.set(update.type, update);
      notify();
    },
    onError: (error) => {
      failures.push(error);
      notify();
    },
  });
  const stop = () => notify();
  signal.addEventListener("abort", stop);
  try {
    while (!signal.aborted) {
      const [update] = unseen.values();
      if (failures.length > 0) throw failures[0];
      if (update === undefined) {
        await new Promise<void>((resolve) => (notify = resolve));
      } else {
        unseen.delete(update.type);
        yield update;
      }
    }
  } finally {
    signal.removeEventListener("abort", stop);
    unwatch();
  }
}

/** All listeners of a profile share one poll. Returns a function that removes the listener. */
function watch(profile: Profile, listener: Listener): () => void {
  const watched = watches.get(profile) ?? startWatch(profile);
  watched.listeners.add(listener);
  for (const { update } of watched.known.values()) listener.onUpdate(update);
  return () => {
    watched.listeners.delete(listener);
    if (watched.listeners.size > 0) return;
    clearTimeout(watched.timer);
    endWatch(profile, watched);
  };
}

/** Ends this watch. A newer watch of the same profile continues. */
function endWatch(profile: Profile, watched: Watch): void {
  if (watches.get(profile) === watched) watches.delete(profile);
}

function startWatch(profile: Profile): Watch {
  const watched: Watch = { known: new Map(), listeners: new Set() };
  watches.set(profile, watched);
  const mayHaveChanged = profile.newChangeCheck();
  let readAt = -Infinity;
  /** True if something may have changed since the last true: otherwise, every open page would read everything each second. */
  const mustRead = (): boolean => {
    const isDue = mayHaveChanged() || performance.now() - readAt > REREAD_MS;
    if (isDue) readAt = performance.now();
    return isDue;
  };
  const poll = async (): Promise<void> => {
    const [local, stored] = await Promise.all([
      localUpdates(profile),
      mustRead() ? storedUpdates(profile) : [],
    ]);
    for (const update of [...local, ...stored]) {
      const text = JSON.stringify(update);
      if (watched.known.get(update.type)?.text === text) continue;
      watched.known.set(update.type, { update, text });
      for (const listener of watched.listeners) listener.onUpdate(update);
    }
    if (watched.listeners.size > 0) watched.timer = setTimeout(pollAgain, PROFILE_POLL_MS);
  };
  // The listeners receive the error and reconnect.
  const fail = (error: unknown): void => {
    endWatch(profile, watched);
    for (const listener of watched.listeners) listener.onError(error);
  };
  const pollAgain = (): void => void poll().catch(fail);
  pollAgain();
  return watched;
}

/** The updates that need no access to the storage of the profile. */
async function localUpdates({ changes, index }: Profile): Promise<LiveUpdate[]> {
  const counts = changes();
  const status = await index.statusIfOpen();
  return [{ type: "changes", counts }, ...(status ? [{ type: "index" as const, status }] : [])];
}

async function storedUpdates({
  approvals,
  functionApprovals,
  runs,
  agents,
  notices,
}: Profile): Promise<LiveUpdate[]> {
  const [pending, functions, cards, unfinishedRuns, latest, unreadNotices] = await Promise.all([
    approvals.list({ status: "pending", limit: 100 }),
    functionApprovals.list(),
    agents.list(),
    runs.unfinishedRuns(MAX_UNENDED_RUNS),
    runs.latest(MAX_LATEST_RUNS),
    notices.list({ unread: true, limit: MAX_NOTICES }),
  ]);
  return [
    { type: "approvals", items: pending.items, functions, total: pending.total + functions.length },
    { type: "runs", items: unfinishedRuns },
    { type: "latest-runs", items: latest },
    { type: "agents", items: cards },
    { type: "notices", items: unreadNotices.items, unread: unreadNotices.unread },
  ];
}

/** How often the known state of the model servers is read, in milliseconds. A server is asked only if its state is stale. */
const MODELS_POLL_MS = 2_000;

/**
 * Yields the model servers and roles: first the current ones, then again after each change other than of a latency.
 */
export async function* modelUpdates(
  { models }: Pick<Brain, "models">,
  signal: AbortSignal,
): AsyncGenerator<LiveUpdate> {
  let sent: string | undefined;
  while (!signal.aborted) {
    const situation = await models();
    const text = JSON.stringify(withoutLatency(situation));
    if (text !== sent) yield { type: "models", situation };
    sent = text;
    await sleep(MODELS_POLL_MS, undefined, { signal, ref: false }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }
}

function withoutLatency({ servers, tokensPerSecond: _, ...rest }: ModelSituation): object {
  return { ...rest, servers: servers.map(({ latencyMs: _latency, ...server }) => server) };
}
