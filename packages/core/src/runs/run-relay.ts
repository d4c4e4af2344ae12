import type { RunEvent } from "../contract/event.ts";

/** The text of an answer that a process is writing, from `offset` on. Each `attempt` begins a new text. */
export interface AnswerText {
  attempt: number;
  /** In UTF-16 code units. */
  offset: number;
  text: string;
}

/**
 * Notifies the processes that share a run store of changes sooner, and sends them an answer while it is being written.
 * Nothing depends on it: lost messages are found by polling, or are part of the complete answer.
 */
export interface RunRelay {
  /** Whether hints of other processes arrive now. Without them, the store is polled more often. */
  receivesHints(): boolean;
  /**
   * How often processes have committed to the store, as found a moment ago without a statement of its own; undefined if that is not
   * known, as after a commit of this process.
   */
  commits(): number | undefined;
  /** Calls `listener` when another process may have changed the store. Returns a function that removes it. */
  onHint(listener: () => void): () => void;
  /** Stores a part of the answer of a run that this process executes, as `RunFeed.publishAnswerPart`. Never fails. */
  saveAnswerPart(runId: string, text: string, offset: number): void;
  /** Reads what was stored of watched runs, and the number of `RunStore.externalVersion` at that moment, in one statement. */
  changes(watched: readonly WatchedRun[]): Promise<StoredChanges>;
}

/** A run with what a process knows of it. */
export interface WatchedRun {
  runId: string;
  /** The last known event. */
  after: number;
  /** The known part of the answer that another process is writing; its length is in UTF-16 code units. */
  answer: { attempt: number; length: number } | undefined;
}

export interface StoredChanges {
  version: number;
  /** Of the watched runs, by their ids; a run that does not exist has no events. */
  runs: ReadonlyMap<string, ChangesOfRun>;
}

export interface ChangesOfRun {
  /** The events after the known one, at most `MAX_CHANGES`. */
  events: RunEvent[];
  /** What has been written after the known part, or the whole text of a newer attempt; undefined if there is none. */
  answer: AnswerText | undefined;
}

/** The largest number of events of one run in `StoredChanges`. */
export const MAX_CHANGES = 200;
