/** Work that closing waits for. */
export interface TaskTracker {
  /** The same promise, waited for until it is settled. */
  track<Value>(work: Promise<Value>): Promise<Value>;
  /** Resolves when all of it is settled, well or not. */
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
