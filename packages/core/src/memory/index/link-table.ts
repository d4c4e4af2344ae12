import { z } from "zod";
import { MemoryTrust, MemoryType, type LinkedMemory, type MemoryRecord } from "../../contract/memory.ts";
import type { Database } from "../../database/open-database.ts";
import { entityKey } from "../entities.ts";

/** The runs, conversations and entities to find memories by. */
export interface RelatedQuery {
  runs: readonly string[];
  conversations: readonly string[];
  entities: readonly string[];
}

/** The ids of the memories for each key, newest first (of an entity: latest added first), at most `limit` each. */
export interface RelatedIds {
  runs: Record<string, string[]>;
  conversations: Record<string, string[]>;
  entities: Record<string, string[]>;
}

/** The length of a linked memory's title, in characters. */
const TITLE_LENGTH = 120;
/** The maximum number of incoming links to return; a memory may have thousands. */
const MAX_INCOMING = 50;

/** The links and entities of records. Callers open the transaction. */
export interface LinkTable {
  /** Adds the links and entities of an item that has none. */
  add(item: number, record: Pick<MemoryRecord, "links" | "entities">): void;
  replace(item: number, record: Pick<MemoryRecord, "links" | "entities">): void;
  related(query: RelatedQuery, limit: number): RelatedIds;
  /** The keys of the known entities that occur in a text. */
  entitiesIn(text: string): string[];
  /** Linked memories: outgoing links first, then incoming ones. */
  linked(id: string): LinkedMemory[];
  /** Summaries of memories with similar meaning, in the order of `ids`. */
  summariesOf(ids: readonly string[]): LinkedMemory[];
}

export function openLinkTable(database: Database): LinkTable {
  const dropLinks = database.command("DELETE FROM links WHERE item = ?");
  const addLink = database.command("INSERT OR IGNORE INTO links (item, target, relation) VALUES (?, ?, ?)");
  const dropEntities = database.command("DELETE FROM entities WHERE item = ?");
  const addEntity = database.command("INSERT OR IGNORE INTO entities (item, entity) VALUES (?, ?)");
  const Id = z.object({ id: z.string() }).transform(({ id }) => id);
  const newest = (from: string) =>
    database.query(
      `SELECT entries.id FROM ${from} = ? ORDER BY entries.timestamp DESC, entries.id DESC LIMIT ?`,
      Id,
    );
  const ofRun = newest("records JOIN entries USING (item) WHERE records.run_id");
  const ofConversation = newest("records JOIN entries USING (item) WHERE records.conversation_id");
  // By item, because thousands of memories may name one entity.
  const ofEntity = database.query(
    "SELECT entries.id FROM entities JOIN entries USING (item) WHERE entities.entity = ? ORDER BY entities.item DESC LIMIT ?",
    Id,
  );
  const Linked = z.object({
    id: z.string(),
    relation: z.string(),
    type: MemoryType,
    title: z.string(),
    timestamp: z.string(),
    trust: MemoryTrust,
  });
  const shown = `entries.kind AS type, substr(records.preview, 1, ${TITLE_LENGTH}) AS title, entries.timestamp, records.trust`;
  const outgoing = database.query(
    `SELECT links.target AS id, links.relation, ${shown} FROM entries AS own JOIN links ON links.item = own.item
     JOIN entries ON entries.id = links.target JOIN records ON records.item = entries.item WHERE own.id = ?`,
    Linked,
  );
  const incoming = database.query(
    `SELECT entries.id, links.relation, ${shown} FROM links JOIN entries ON entries.item = links.item
     JOIN records ON records.item = entries.item WHERE links.target = ?
     ORDER BY entries.timestamp DESC LIMIT ${MAX_INCOMING}`,
    Linked,
  );

  const near = database.query(
    `SELECT entries.id, 'similar' AS relation, ${shown} FROM json_each(?) AS wanted
     JOIN entries ON entries.id = wanted.value JOIN records ON records.item = entries.item ORDER BY wanted.key`,
    Linked,
  );

  const known = database.query(
    "SELECT wanted.value AS id FROM json_each(?) AS wanted WHERE EXISTS (SELECT 1 FROM entities WHERE entity = wanted.value)",
    Id,
  );

  const lookUp = (keys: readonly string[], find: (key: string) => string[]): Record<string, string[]> =>
    Object.fromEntries([...new Set(keys)].map((key) => [key, find(key)]));

  function add(item: number, { links, entities }: Pick<MemoryRecord, "links" | "entities">): void {
    for (const { id, relation } of links) addLink.run(item, id, relation);
    for (const entity of entities) addEntity.run(item, entityKey(entity));
  }

  return {
    add,
    replace(item, record) {
      dropLinks.run(item);
      dropEntities.run(item);
      add(item, record);
    },
    related: ({ runs, conversations, entities }, limit) => ({
      runs: lookUp(runs, (run) => ofRun.all(run, limit)),
      conversations: lookUp(conversations, (conversation) => ofConversation.all(conversation, limit)),
      entities: lookUp(entities, (entity) => ofEntity.all(entity, limit)),
    }),
    entitiesIn: (text) => known.all(JSON.stringify(phrasesOf(text))),
    summariesOf: (ids) =>
      near.all(JSON.stringify(ids)).map((row): LinkedMemory => ({ ...row, direction: "near" })),
    linked(id) {
      const named = outgoing.all(id).map((row): LinkedMemory => ({ ...row, direction: "to" }));
      const known = new Set(named.map((row) => row.id));
      const naming = incoming
        .all(id)
        .filter((row) => !known.has(row.id))
        .map((row): LinkedMemory => ({ ...row, direction: "from" }));
      return [...named, ...naming];
    },
  };
}

/** The maximum number of words of a text that are looked up as entities, and of words in one entity. */
const MAX_WORDS_LOOKED_UP = 40;
const MAX_ENTITY_WORDS = 3;

/** The keys of all runs of one to three consecutive words of a text. */
export function phrasesOf(text: string): string[] {
  const words = entityKey(text.slice(0, 2_000))
    .split(" ")
    .slice(0, MAX_WORDS_LOOKED_UP)
    .map((word) => word.replaceAll(/^[^\p{L}\p{N}€$£¥%]+|[^\p{L}\p{N}€$£¥%]+$/gu, "").replace(/['’]s$/u, ""));
  return words.flatMap((_, first) =>
    Array.from({ length: MAX_ENTITY_WORDS }, (__, more) => words.slice(first, first + more + 1).join(" ")),
  );
}
