import type { MemoryLink, MemoryRecord } from "../../contract/memory.ts";
import type { Neighbours } from "./neighbours.ts";

/** Links new memories with those of like meaning, in the background, once they are embedded. */
export interface Linker {
  add(record: Pick<MemoryRecord, "id" | "type">): void;
  /** Stops; what is not linked yet shows its neighbours all the same. */
  close(): Promise<void>;
}

export interface LinkerParts {
  neighbours: Neighbours;
  /** Resolves when nothing waits to be embedded any more. */
  embedded: () => Promise<void>;
  addLinks: (id: string, links: readonly MemoryLink[]) => Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createLinker({ neighbours, embedded, addLinks, onWarning }: LinkerParts): Linker {
  const waiting = new Map<string, Pick<MemoryRecord, "id" | "type">>();
  let closed = false;
  let working: Promise<void> | undefined;

  async function linkAll(): Promise<void> {
    // Those that come meanwhile are not embedded yet: they are for the next turn.
    const records = [...waiting.values()];
    waiting.clear();
    await embedded();
    for (const record of records) {
      if (closed) return;
      const near = await neighbours(record);
      if (near.length > 0)
        await addLinks(
          record.id,
          near.map((id) => ({ id, relation: "similar" })),
        );
    }
  }

  function start(): void {
    working ??= linkAll()
      .catch((error: unknown) => {
        if (!closed) onWarning("A new memory could not be linked with those of like meaning.", error);
      })
      .finally(() => {
        working = undefined;
        if (!closed && waiting.size > 0) start();
      });
  }

  return {
    add({ id, type }) {
      if (closed) return;
      waiting.set(id, { id, type });
      start();
    },
    async close() {
      closed = true;
      await working;
    },
  };
}
