import { type MemoryLink, type MemoryRecord, MAX_LINKS } from "../../contract/memory.ts";
import type { Neighbors } from "../recall/related.ts";
import type { RelatedIds, RelatedQuery } from "../index/link-table.ts";
import { entityKey } from "../entities.ts";

/** Links new memories with similar ones in the background, once they are embedded. */
export interface Linker {
  add(record: Pick<MemoryRecord, "id" | "type">): void;
  /** Stops. Memories without links still show their neighbors. */
  close(): Promise<void>;
}

export interface LinkerDependencies {
  neighbors: Neighbors;
  /** Resolves when every memory is embedded. */
  embedded: () => Promise<void>;
  addLinks: (id: string, links: readonly MemoryLink[]) => Promise<void>;
  onWarning: (message: string, cause?: unknown) => void;
}

export function createLinker({ neighbors, embedded, addLinks, onWarning }: LinkerDependencies): Linker {
  const pending = new Map<string, Pick<MemoryRecord, "id" | "type">>();
  let closed = false;
  let working: Promise<void> | undefined;

  async function linkAll(): Promise<void> {
    // Memories added meanwhile are not embedded yet; the next pass links them.
    const records = [...pending.values()];
    pending.clear();
    await embedded();
    for (const record of records) {
      if (closed) return;
      const near = await neighbors(record);
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
        if (!closed) onWarning("A new memory could not be linked with similar ones.", error);
      })
      .finally(() => {
        working = undefined;
        if (!closed && pending.size > 0) start();
      });
  }

  return {
    add({ id, type }) {
      if (closed) return;
      pending.set(id, { id, type });
      start();
    },
    async close() {
      closed = true;
      await working;
    },
  };
}

/** The maximum number of links per run, conversation or entity, to the newest memories. */
export const RELATED_EACH = 3;
/** The maximum number of automatic links of a new memory. */
const MAX_AUTOMATIC_LINKS = 12;

type Linkable = Pick<MemoryRecord, "id" | "source" | "metadata" | "entities" | "links">;

/** The query for memories to link with these records. */
export function relatedQueryOf(records: readonly Linkable[]): RelatedQuery {
  return {
    runs: records.flatMap(({ source }) => source.runId ?? []),
    conversations: records.flatMap((record) => conversationOf(record) ?? []),
    entities: records.flatMap(({ entities }) => entities.map(entityKey)),
  };
}

/**
 * The links of new memories, in order: their explicit links, then links to earlier memories of the same run, conversation
 * and entities. A record can also link to an earlier one in the list.
 */
export function findLinks(records: readonly Linkable[], related: RelatedIds): MemoryLink[][] {
  const earlier: RelatedIds = structuredClone(related);
  return records.map((record) => {
    const links = linksOf(record, earlier);
    addToRelated(record, earlier);
    return links;
  });
}

function linksOf(record: Linkable, related: RelatedIds): MemoryLink[] {
  const found: MemoryLink[] = [];
  const known = new Set([record.id, ...record.links.map(({ id }) => id)]);
  const available = Math.min(MAX_AUTOMATIC_LINKS, MAX_LINKS - record.links.length);
  const add = (relation: string, ids: readonly string[]): void => {
    for (const id of ids.slice(0, RELATED_EACH)) {
      if (known.has(id) || found.length >= available) continue;
      known.add(id);
      found.push({ id, relation });
    }
  };
  const { runId } = record.source;
  const conversation = conversationOf(record);
  if (runId !== undefined) add("same-run", idsOf(related.runs, runId));
  if (conversation !== undefined) add("same-conversation", idsOf(related.conversations, conversation));
  for (const entity of record.entities) add("same-entity", idsOf(related.entities, entityKey(entity)));
  return [...record.links, ...found];
}

function addToRelated(record: Linkable, related: RelatedIds): void {
  const first = (of: Record<string, string[]>, key: string): void => {
    of[key] = [record.id, ...idsOf(of, key)].slice(0, RELATED_EACH);
  };
  const { runId } = record.source;
  const conversation = conversationOf(record);
  if (runId !== undefined) first(related.runs, runId);
  if (conversation !== undefined) first(related.conversations, conversation);
  for (const entity of record.entities) first(related.entities, entityKey(entity));
}

/** Own properties only: an entity may be called `constructor`. */
function idsOf(of: Readonly<Record<string, string[]>>, key: string): readonly string[] {
  return (Object.hasOwn(of, key) && of[key]) || [];
}

function conversationOf({ source, metadata }: Linkable): string | undefined {
  return source.conversationId ?? metadata.conversationId;
}
