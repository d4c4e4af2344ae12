import type { RunEvent } from "../contract/event.ts";

/** The number of a run's newest events that are delivered without reading the store. */
const RECENT = 256;

/** After these events, a run is idle, possibly for days. */
const IDLE_AFTER: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "approval-requested",
  "question-asked",
  "run-interrupted",
  "run-ended",
]);

/** The shared state of one run's watchers. */
export interface RunChannel {
  /** The newest stored events without gaps, as far as this process has read them; may be empty. */
  recent: RunEvent[];
  /** The partial answer; empty once the answer is complete. */
  answer: string;
  /** Increases when the answer restarts. */
  attempt: number;
  /** The attempt of another process that `answer` comes from. */
  relayed: number | undefined;
  /** `isOfPoll`: the poll for events of other processes failed, which may be over soon. */
  failure: { error: unknown; isOfPoll?: boolean } | undefined;
  notify: Set<() => void>;
  watchers: number;
}

export function createRunChannel(): RunChannel {
  return {
    recent: [],
    answer: "",
    attempt: 0,
    relayed: undefined,
    failure: undefined,
    notify: new Set(),
    watchers: 0,
  };
}

export function notifyAll(channel: RunChannel): void {
  for (const notify of channel.notify) notify();
}

/** Adds a stored event. Returns whether the run is idle now. */
export function applyStoredEvent(channel: RunChannel, event: RunEvent): boolean {
  const isIdle = IDLE_AFTER.has(event.type);
  const last = channel.recent.at(-1);
  channel.failure = undefined;
  if (last !== undefined && last.seq + 1 !== event.seq) channel.recent = [];
  channel.recent.push(event);
  if (channel.recent.length > RECENT) channel.recent.shift();
  if (isIdle) channel.recent = [];
  if (endsAnswer(event)) restartAnswer(channel);
  return isIdle;
}

/** Whether no text of an answer follows this event, unless another answer begins. */
export function endsAnswer({ type }: RunEvent): boolean {
  return IDLE_AFTER.has(type) || type === "answer-completed";
}

/** Replaces the text of the answer from `offset` on. */
export function appendAnswer(channel: RunChannel, text: string, offset: number): void {
  // A rewritten answer is delivered again from its start.
  if (offset < channel.answer.length) channel.attempt += 1;
  channel.answer = channel.answer.slice(0, offset) + text;
}

/** Forgets the text of the answer. */
export function restartAnswer(channel: RunChannel): void {
  channel.attempt += 1;
  channel.answer = "";
  channel.relayed = undefined;
}

/** Returns the known events after `seq`; undefined if they must be read from the store. */
export function cachedEventsAfter({ recent }: RunChannel, seq: number): RunEvent[] | undefined {
  const [first] = recent;
  return first !== undefined && first.seq <= seq + 1 ? recent.filter((event) => event.seq > seq) : undefined;
}

/**
 * Returns a promise for the channel's next change, which rejects with the signal's reason. Call it before reading the
 * current state, and call `stop` afterwards.
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
  // The promise is unused if the caller found something to deliver.
  promise.catch(() => undefined);
  return { promise, stop };
}
