import type { RunEvent } from "../contract/event.ts";
import { type ChangesOfRun, MAX_CHANGES, type WatchedRun } from "./run-relay.ts";

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
  /**
   * The last stored event of the run, as of the last poll of all watched runs; undefined if the store must be asked. `recent` may lack
   * events before it.
   */
  through: number | undefined;
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
  /** The last events that the watchers of events have received. */
  positions: Set<{ seq: number }>;
}

export function createRunChannel(): RunChannel {
  return {
    recent: [],
    through: undefined,
    answer: "",
    attempt: 0,
    relayed: undefined,
    failure: undefined,
    notify: new Set(),
    watchers: 0,
    positions: new Set(),
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
  if (channel.through !== undefined)
    channel.through = channel.through + 1 === event.seq ? event.seq : undefined;
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

/** What this process knows of a watched run that others may change. */
export function knownOf(runId: string, channel: RunChannel): WatchedRun {
  const { through, positions, answer, relayed } = channel;
  const after = through ?? Math.min(...[...positions].map(({ seq }) => seq));
  return {
    runId,
    after: Number.isFinite(after) ? after : 0,
    answer: relayed === undefined ? undefined : { attempt: relayed, length: answer.length },
  };
}

/** Takes over what was stored of a run after `known`, which was read while this process may have published events, too. */
export function takeOver(
  channel: RunChannel,
  { after, answer: knownAnswer }: Pick<WatchedRun, "after" | "answer">,
  { events, answer }: ChangesOfRun,
): void {
  const end = events.at(-1)?.seq ?? after;
  const later = channel.recent.filter(({ seq }) => seq > end);
  const last = later.at(-1)?.seq ?? end;
  const isComplete =
    events.length < MAX_CHANGES && (later[0]?.seq ?? end + 1) === end + 1 && last >= (channel.through ?? 0);
  const before = channel.recent.filter(({ seq }) => seq <= after);
  const known = before.at(-1)?.seq === after ? before : [];
  channel.recent = isComplete ? [...known, ...events, ...later].slice(-RECENT) : [];
  channel.through = isComplete ? last : undefined;
  // An answer that this process writes itself, and one that was completed or restarted meanwhile, stays.
  if (!answer || isOwnAnswer(channel) || channel.relayed !== knownAnswer?.attempt) return;
  if (answer.attempt !== channel.relayed) restartAnswer(channel);
  channel.relayed = answer.attempt;
  appendAnswer(channel, answer.text, answer.offset);
}

/** Makes the next delivery of a run ask the store, because other processes may have stored events. */
export function forgetEvents(channel: RunChannel): void {
  channel.recent = [];
  channel.through = undefined;
}

/** Whether this process writes the answer. */
export function isOwnAnswer({ answer, relayed }: RunChannel): boolean {
  return answer !== "" && relayed === undefined;
}

/** Returns the known events after `seq`; undefined if they must be read from the store. */
export function cachedEventsAfter({ recent, through }: RunChannel, seq: number): RunEvent[] | undefined {
  if (through !== undefined && seq >= through) return [];
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
