import type { RunEvent } from "../contract/event.ts";
import type { Run } from "../contract/run.ts";
import { CancelledError } from "../errors/run-errors.ts";
import {
  applyStoredEvent,
  cachedEventsAfter,
  createRunChannel,
  endsAnswer,
  appendAnswer,
  forgetEvents,
  isOwnAnswer,
  knownOf,
  nextChange,
  notifyAll,
  restartAnswer,
  type RunChannel,
  takeOver,
} from "./run-channel.ts";
import type { RunRelay } from "./run-relay.ts";
import type { RunStore } from "./run-store.ts";

/** The polling interval for events of other processes while there are watchers, in milliseconds. */
const POLL_INTERVAL_MS = 150;
/** The polling interval while hints report changes sooner. */
const HINTED_POLL_INTERVAL_MS = 1_000;
/** The number of events that are read at once. */
const EVENTS_PER_READ = 200;

/**
 * Delivers the stored events of a run to its watchers, in order and each event once, whichever process stored it. A
 * watcher is a position in the stored events, not a queue, so a slow watcher does not delay others.
 */
export interface RunFeed {
  /**
   * Yields stored events after `from`, then new events and the growing answer. Ends after `run-ended` and when the feed
   * is closed. Rejects with the signal's reason.
   */
  events(runId: string, options: { from: number; signal: AbortSignal }): AsyncIterable<RunEvent>;
  /**
   * Resolves to the run as soon as `settled` returns true for it. Rejects with the signal's reason, or with
   * `CancelledError` when the feed is closed.
   */
  until(runId: string, settled: (run: Run) => boolean, signal?: AbortSignal): Promise<Run>;
  /** Publishes events that this process committed. */
  publish(events: readonly RunEvent[]): void;
  /** Publishes a part of the answer's text without storing it; `offset` 0 restarts the answer. */
  publishAnswerPart(runId: string, text: string, offset: number): void;
  /** Fails the watchers of a run after a store error. */
  fail(runId: string, error: unknown): void;
  /** Calls `listener` after another process wrote to the store. Returns a function that removes it. */
  onExternalChange(listener: () => void): () => void;
  close(): void;
}

/** Polls a store for commits of other processes. */
interface ExternalPoll {
  /** Starts or stops polling as needed. */
  update(): void;
}

function createExternalPoll(
  store: RunStore,
  on: {
    isNeeded: () => boolean;
    onStart: () => void;
    /** Asks the store. `take` is called if the version differs from that of the last poll. */
    read: () => Promise<{ version: number; take: () => void }>;
    onError: (error: unknown) => void;
  },
): ExternalPoll {
  let timer: NodeJS.Timeout | undefined;
  let stopHints: (() => void) | undefined;
  let polledAt = 0;
  /** The commits that the relay knew of at the last regular poll. */
  let polledCommits: number | undefined;
  /** The version of the last poll, kept without watchers so that the next poll finds all changes. */
  let version: number | undefined;
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    try {
      const found = await on.read();
      if (timer === undefined || found.version === version) return;
      version = found.version;
      found.take();
    } catch (error) {
      on.onError(error);
    }
  }

  function pollOnce(): void {
    polledAt = performance.now();
    polling ??= poll().finally(() => (polling = undefined));
  }

  /** Asks the store unless hints arrive and nothing has changed since, or it was asked a moment ago. */
  function pollIfDue(): void {
    const commits = store.relay?.commits();
    const isUpToDate =
      commits === undefined
        ? performance.now() - polledAt < HINTED_POLL_INTERVAL_MS
        : commits === polledCommits;
    if (store.relay?.receivesHints() && isUpToDate) return;
    polledCommits = commits;
    pollOnce();
  }

  /** A hint that arrives during a poll may be of a later commit. */
  function pollAfterHint(): void {
    if (polling) void polling.then(pollOnce);
    else pollOnce();
  }

  return {
    update() {
      if (!on.isNeeded()) {
        clearInterval(timer);
        timer = undefined;
        stopHints?.();
        stopHints = undefined;
      } else if (timer === undefined) {
        on.onStart();
        timer = setInterval(pollIfDue, POLL_INTERVAL_MS);
        stopHints = store.relay?.onHint(pollAfterHint);
        pollOnce();
      }
    },
  };
}

export function createRunFeed(store: RunStore): RunFeed {
  const externalListeners = new Set<() => void>();
  let isClosed = false;
  const channels = createRunChannels({ onWatchersChange: () => poll.update() });
  const poll = createExternalPoll(store, {
    isNeeded: () => !isClosed && (externalListeners.size > 0 || channels.isWatched()),
    onStart: () => channels.forgetEvents(),
    async read() {
      const { version, take } = await readChanges(store, channels);
      return {
        version,
        take() {
          take();
          for (const listener of externalListeners) listener();
          channels.notifyWatchers();
        },
      };
    },
    onError: (error) => channels.failWatchers(error),
  });
  const source: FeedSource = { store, channels, isClosed: () => isClosed };

  return {
    events: (runId, options) => watchEvents(source, runId, options),
    until: (runId, settled, signal) => waitUntil(source, runId, settled, signal),
    publish(committed) {
      for (const event of committed) channels.applyStoredEvent(event);
    },
    publishAnswerPart(runId, text, offset) {
      const channel = channels.of(runId);
      if (channel.relayed !== undefined) restartAnswer(channel);
      appendAnswer(channel, text, offset);
      notifyAll(channel);
      store.relay?.saveAnswerPart(runId, text, offset);
    },
    fail(runId, error) {
      const channel = channels.of(runId);
      channel.failure = { error };
      notifyAll(channel);
    },
    onExternalChange(listener) {
      externalListeners.add(listener);
      poll.update();
      return () => {
        externalListeners.delete(listener);
        poll.update();
      };
    },
    close() {
      isClosed = true;
      poll.update();
      channels.notifyWatchers();
    },
  };
}

/** The channels of the runs that are watched or have recent events. */
function createRunChannels({ onWatchersChange }: { onWatchersChange: () => void }) {
  const channels = new Map<string, RunChannel>();

  function channelOf(runId: string): RunChannel {
    const known = channels.get(runId) ?? createRunChannel();
    channels.set(runId, known);
    return known;
  }

  function notifyWatchers(): void {
    for (const channel of channels.values()) notifyAll(channel);
  }

  return {
    of: channelOf,
    notifyWatchers,
    /** Those whose events are watched. */
    watched: () => [...channels].filter(([, channel]) => channel.positions.size > 0),
    isWatched: (): boolean => [...channels.values()].some((channel) => channel.watchers > 0),
    enter(runId: string): RunChannel {
      const channel = channelOf(runId);
      channel.watchers += 1;
      onWatchersChange();
      return channel;
    },
    leave(runId: string, channel: RunChannel): void {
      channel.watchers -= 1;
      // The next watcher reports whether the store still fails.
      if (channel.watchers === 0 && channel.failure?.isOfPoll === true) channel.failure = undefined;
      // What was read of the runs of other processes ages without a poll.
      const isUnused =
        channel.recent.length === 0 || (channel.through !== undefined && !isOwnAnswer(channel));
      if (channel.watchers === 0 && isUnused) channels.delete(runId);
      onWatchersChange();
    },
    /** Forgets the known events, except of some channels. They lack the events of other processes, and would be delivered instead of them. */
    forgetEvents(except: ReadonlySet<RunChannel> = new Set()): void {
      for (const channel of channels.values()) if (!except.has(channel)) forgetEvents(channel);
    },
    /** Passes a committed event to the watchers of its run. */
    applyStoredEvent(event: RunEvent): void {
      const channel = channelOf(event.runId);
      const isIdle = applyStoredEvent(channel, event);
      notifyAll(channel);
      if (isIdle && channel.watchers === 0) channels.delete(event.runId);
    },
    /** Fails all present watchers after a failed poll. */
    failWatchers(error: unknown): void {
      for (const channel of channels.values())
        if (channel.watchers > 0) channel.failure = { error, isOfPoll: true };
      notifyWatchers();
    },
  };
}

/** Asks the store for the commits of other processes; `take` makes what it found of the watched runs known. */
async function readChanges(
  store: RunStore,
  channels: ReturnType<typeof createRunChannels>,
): Promise<{ version: number; take: () => void }> {
  const { relay } = store;
  if (!relay) return { version: await store.externalVersion(), take: () => channels.forgetEvents() };
  const watched = channels.watched().map(([runId, channel]) => ({ channel, known: knownOf(runId, channel) }));
  const { version, runs } = await relay.changes(watched.map(({ known }) => known));
  return {
    version,
    take() {
      channels.forgetEvents(new Set(watched.map(({ channel }) => channel)));
      for (const { channel, known } of watched) {
        const changes = runs.get(known.runId);
        if (changes) takeOver(channel, known, changes);
      }
    },
  };
}

interface FeedSource {
  store: RunStore;
  channels: ReturnType<typeof createRunChannels>;
  isClosed(): boolean;
}

async function* watchEvents(
  { store, channels, isClosed }: FeedSource,
  runId: string,
  { from, signal }: { from: number; signal: AbortSignal },
): AsyncGenerator<RunEvent> {
  const run = await store.run(runId);
  if (run.status === "ended" && from >= run.lastSeq) return;
  const channel = channels.enter(runId);
  const position = { seq: from };
  channel.positions.add(position);
  let attempt = -1;
  /** The length of the answer that was yielded. */
  let yielded = 0;
  try {
    if (store.relay && !cachedEventsAfter(channel, from))
      await loadRun(store.relay, channel, { runId, from });
    while (!isClosed()) {
      signal.throwIfAborted();
      const change = nextChange(channel, signal);
      try {
        const { seq } = position;
        const stored = cachedEventsAfter(channel, seq) ?? (await store.events(runId, seq, EVENTS_PER_READ));
        for (const event of stored) {
          position.seq = event.seq;
          if (endsAnswer(event) && !isOwnAnswer(channel)) restartAnswer(channel);
          yield event;
          if (event.type === "run-ended") return;
        }
        // There may be more. What is stored later changes the channel.
        if (stored.length >= EVENTS_PER_READ) continue;
        if (attempt !== channel.attempt) yielded = 0;
        attempt = channel.attempt;
        if (channel.answer.length > yielded) {
          const delta = answerDelta(channel, yielded, { runId, seq: position.seq });
          yielded = channel.answer.length;
          yield delta;
          continue;
        }
        if (channel.failure) throw channel.failure.error;
        await change.promise;
      } finally {
        change.stop();
      }
    }
  } finally {
    channel.positions.delete(position);
    channels.leave(runId, channel);
  }
}

/** Makes the events after `from` and the answer known to the channel of a run that is watched from now on. */
async function loadRun(
  relay: RunRelay,
  channel: RunChannel,
  { runId, from }: { runId: string; from: number },
): Promise<void> {
  const known = { ...knownOf(runId, channel), after: from };
  const changes = (await relay.changes([known])).runs.get(runId);
  if (changes) takeOver(channel, known, changes);
}

async function waitUntil(
  { store, channels, isClosed }: FeedSource,
  runId: string,
  settled: (run: Run) => boolean,
  signal?: AbortSignal,
): Promise<Run> {
  await store.run(runId);
  const channel = channels.enter(runId);
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (isClosed()) throw new CancelledError("The profile was closed.");
      const change = nextChange(channel, signal);
      try {
        const run = await store.run(runId);
        if (settled(run)) return run;
        if (channel.failure) throw channel.failure.error;
        await change.promise;
      } finally {
        change.stop();
      }
    }
  } finally {
    channels.leave(runId, channel);
  }
}

function answerDelta({ answer }: RunChannel, offset: number, at: { runId: string; seq: number }): RunEvent {
  return { type: "answer-delta", text: answer.slice(offset), offset, ...at, at: new Date().toISOString() };
}
