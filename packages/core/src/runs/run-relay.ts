/** The text of an answer that a process is writing, from `offset` on. Another `attempt` is another text. */
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
  /** Returns what another process has written after `known`, or the whole text of a newer attempt. */
  answerText(
    runId: string,
    known: { attempt: number; length: number } | undefined,
  ): Promise<AnswerText | undefined>;
}
