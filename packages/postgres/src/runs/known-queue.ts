/** What a process knows about queued runs without asking. `foreignVersion` is how often others have committed, if that is known. */
export function createKnownQueue(foreignVersion: () => number | undefined) {
  let isExpected = false;
  let emptyAt: number | undefined;
  return {
    /** A run was queued here, or may have been. */
    expect(): void {
      isExpected = true;
      emptyAt = undefined;
    },
    /** No run was queued when others had committed this often. */
    noteEmpty: (foreign: number | undefined) => void (emptyAt = foreign),
    /** Whether a run was queued here since the last call. */
    takeExpected(): boolean {
      const was = isExpected;
      isExpected = false;
      return was;
    },
    isEmpty: (): boolean => emptyAt !== undefined && !isExpected && foreignVersion() === emptyAt,
  };
}
