import type { RunEvent } from "../contract/event.ts";

/** How many of a run's newest events are handed on without reading them back. */
const RECENT = 256;

/** After one of these a run does nothing for a while, maybe for days. */
const RESTS: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "approval-requested",
  "question-asked",
  "run-interrupted",
  "run-ended",
]);

/** What the watchers of one run share. */
export interface RunChannel {
  /** The newest stored events without a gap, as far as they are known here; may be empty. */
  recent: RunEvent[];
  /** The answer as far as it has grown; empty once it is complete. */
  answer: string;
  /** Increases when the answer restarts. */
  attempt: number;
  failure: { error: unknown } | undefined;
  notify: Set<() => void>;
  watchers: number;
}

export function newChannel(): RunChannel {
  return { recent: [], answer: "", attempt: 0, failure: undefined, notify: new Set(), watchers: 0 };
}

export function notifyAll(channel: RunChannel): void {
  for (const notify of channel.notify) notify();
}

/** Takes in an event that was stored; returns whether the run rests now. */
export function takeIn(channel: RunChannel, event: RunEvent): boolean {
  const rests = RESTS.has(event.type);
  const last = channel.recent.at(-1);
  channel.failure = undefined;
  if (last !== undefined && last.seq + 1 !== event.seq) channel.recent = [];
  channel.recent.push(event);
  if (channel.recent.length > RECENT) channel.recent.shift();
  if (rests) channel.recent = [];
  if (rests || event.type === "answer-completed") {
    channel.answer = "";
    channel.attempt += 1;
  }
  return rests;
}

/** The known events after `seq`; undefined when they have to be read from the store. */
export function knownAfter({ recent }: RunChannel, seq: number): RunEvent[] | undefined {
  const [first] = recent;
  return first !== undefined && first.seq <= seq + 1 ? recent.filter((event) => event.seq > seq) : undefined;
}

/**
 * Resolves at the channel's next change, rejects with the signal's reason. To be called before what is there is read,
 * and stopped when something was there.
 */
export function nextChange(
  channel: RunChannel,
  signal: AbortSignal | undefined,
): { promise: Promise<void>; stop(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => {
    channel.notify.delete(notify);
    signal?.removeEventListener("abort", abort);
  };
  const notify = () => {
    stop();
    resolve();
  };
  const abort = () => {
    stop();
    reject(signal?.reason);
  };
  channel.notify.add(notify);
  signal?.addEventListener("abort", abort, { once: true });
  // Whoever found something to show does not wait for the promise.
  promise.catch(() => undefined);
  return { promise, stop };
}
