import { type MemoryLink, type MemoryRecord, MOST_LINKS } from "../../contract/memory.ts";
import type { Neighbours } from "../recall/related.ts";
import { entityKey, type RelatedIds, type RelatedQuery } from "../index/link-table.ts";

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

/** How many memories of one run, conversation or entity a new one is linked with: the newest. */
export const RELATED_EACH = 3;
/** A new memory is linked with at most so many by what they have in common. */
const MOST_FOUND = 12;

type Linkable = Pick<MemoryRecord, "id" | "source" | "metadata" | "entities" | "links">;

/** What to look for, to link these. */
export function relatedQueryOf(records: readonly Linkable[]): RelatedQuery {
  return {
    runs: records.flatMap(({ source }) => source.runId ?? []),
    conversations: records.flatMap((record) => conversationOf(record) ?? []),
    entities: records.flatMap(({ entities }) => entities.map(entityKey)),
  };
}

/**
 * The links of new memories, in order: those they were given, then those with earlier ones of the same run and
 * conversation and about the same entities. Each may also be linked with one before it in the list.
 */
export function findLinks(records: readonly Linkable[], kin: RelatedIds): MemoryLink[][] {
  const earlier: RelatedIds = structuredClone(kin);
  return records.map((record) => {
    const links = linksOf(record, earlier);
    remember(record, earlier);
    return links;
  });
}

function linksOf(record: Linkable, kin: RelatedIds): MemoryLink[] {
  const found: MemoryLink[] = [];
  const known = new Set([record.id, ...record.links.map(({ id }) => id)]);
  const room = Math.min(MOST_FOUND, MOST_LINKS - record.links.length);
  const add = (relation: string, ids: readonly string[]): void => {
    for (const id of ids.slice(0, RELATED_EACH)) {
      if (known.has(id) || found.length >= room) continue;
      known.add(id);
      found.push({ id, relation });
    }
  };
  const { runId } = record.source;
  const conversation = conversationOf(record);
  if (runId !== undefined) add("same-run", idsOf(kin.runs, runId));
  if (conversation !== undefined) add("same-conversation", idsOf(kin.conversations, conversation));
  for (const entity of record.entities) add("same-entity", idsOf(kin.entities, entityKey(entity)));
  return [...record.links, ...found];
}

function remember(record: Linkable, kin: RelatedIds): void {
  const first = (of: Record<string, string[]>, key: string): void => {
    of[key] = [record.id, ...idsOf(of, key)].slice(0, RELATED_EACH);
  };
  const { runId } = record.source;
  const conversation = conversationOf(record);
  if (runId !== undefined) first(kin.runs, runId);
  if (conversation !== undefined) first(kin.conversations, conversation);
  for (const entity of record.entities) first(kin.entities, entityKey(entity));
}

/** Keys are people's words: `constructor` is one. */
function idsOf(of: Readonly<Record<string, string[]>>, key: string): readonly string[] {
  return (Object.hasOwn(of, key) && of[key]) || [];
}

function conversationOf({ source, metadata }: Linkable): string | undefined {
  return source.conversationId ?? metadata.conversationId;
}
