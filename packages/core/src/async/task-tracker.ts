/** Tracks pending promises, so that `close` can wait for them. */
export interface TaskTracker {
  /** Tracks a promise until it settles, and returns it. */
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when every tracked promise has settled. Never rejects. */
  settled(): Promise<void>;
}

export function createTaskTracker(): TaskTracker {
  const all = new Set<Promise<unknown>>();
  return {
    track(work) {
      const settled = work.then(
        () => undefined,
        () => undefined,
      );
      all.add(settled);
      void settled.then(() => all.delete(settled));
      return work;
    },
    async settled() {
      await Promise.all(all);
    },
  };
}
