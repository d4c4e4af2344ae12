import {
  countUses,
  type MemoryUse,
  MemoryUseKind,
  type MemoryUses,
  MAX_MOMENTS,
  USEFUL_KINDS,
} from "./memory-uses.ts";

/** Stores uses in the process, for memories that are opened without a profile's database. */
export function createInMemoryUses(): MemoryUses {
  const uses: MemoryUse[] = [];

  function momentsOf(wanted: (id: string) => boolean): Map<string, number[]> {
    const moments = new Map<string, number[]>();
    for (const { memoryId, kind, at } of uses.toSorted((a, b) => b.at - a.at)) {
      if (!wanted(memoryId) || !USEFUL_KINDS.includes(kind)) continue;
      const known = moments.get(memoryId) ?? [];
      if (known.length < MAX_MOMENTS) moments.set(memoryId, [...known, at]);
    }
    return moments;
  }

  return {
    async record(added) {
      for (const use of added) if (!uses.some((other) => isSameUse(use, other))) uses.push(use);
    },
    async restore(added) {
      const fresh = added.filter(
        (use) => !uses.some((other) => isSameUse(use, other) || isSameMoment(use, other)),
      );
      uses.push(...fresh);
      return fresh.length;
    },
    async *batches() {
      yield [...uses];
    },
    momentsOf: async (ids) => momentsOf((id) => ids.includes(id)),
    allMoments: async () => momentsOf(() => true),
    async inRun(runId) {
      const own = uses.filter((use) => use.runId === runId && ["cited", "followed"].includes(use.kind));
      return [...new Set(own.map(({ memoryId }) => memoryId))];
    },
    async countsOf(id) {
      const own = uses.filter(({ memoryId }) => memoryId === id);
      return countUses(
        MemoryUseKind.options.flatMap((kind) => {
          const moments = own.filter((use) => use.kind === kind).map(({ at }) => at);
          return moments.length > 0 ? [{ kind, count: moments.length, last: Math.max(...moments) }] : [];
        }),
      );
    },
  };
}

function isSameUse(one: MemoryUse, other: MemoryUse): boolean {
  return (
    one.runId !== undefined &&
    one.runId === other.runId &&
    one.memoryId === other.memoryId &&
    one.kind === other.kind
  );
}

function isSameMoment(one: MemoryUse, other: MemoryUse): boolean {
  return one.memoryId === other.memoryId && one.kind === other.kind && one.at === other.at;
}
