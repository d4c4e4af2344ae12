import { posix } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ArchiveEntry, Feedback } from "../../contract/http.ts";
import {
  MAX_LINKS,
  type MemoryLink,
  type MemoryRecord,
  type MemorySource,
  type MemoryTrust,
  type MemoryType,
  type NewMemory,
} from "../../contract/memory.ts";
import { MemoryNotFoundError } from "../../errors/not-found-errors.ts";
import type { RelatedIds, RelatedQuery } from "../index/link-table.ts";
import type { MemoryUses } from "../evolution/memory-uses.ts";
import type { MemoryPort } from "../memory-port.ts";
import { findLinks, relatedQueryOf } from "./linker.ts";
import {
  parseAsStored,
  createUnderFreeId,
  nextVersion,
  randomSuffix,
  type RecordIds,
  type StoredMemory,
} from "./record-files.ts";
import type { ArchiveMetadata, ImportReport, MemoryStorage } from "./record-storage.ts";
import { shortSlug } from "../../text/slug.ts";
import { extractEntities } from "../entities.ts";
import type { IndexClient } from "../index/index-client.ts";
import { decodeCursor, encodeCursor } from "../../database/rows.ts";
import { contentWords, sentencesIn, spacedWords, stemOf } from "../../text/words.ts";
import { omitUndefined } from "../../text/omit-undefined.ts";

export interface MemoryStoreDependencies {
  storage: MemoryStorage;
  ids: RecordIds;
  /** Memories of the same runs, conversations and entities; none while the index is unavailable. */
  related: (query: RelatedQuery) => Promise<RelatedIds>;
  uses: Pick<MemoryUses, "record">;
  list: MemoryPort["list"];
  clock: () => Date;
}

/** The number of records to check before yielding to the event loop. */
const CHECKED_PER_TURN = 50;
/** The number of records per journal. */
const IMPORT_BATCH = 1_000;

type Writes = Pick<
  MemoryPort,
  | "add"
  | "addMany"
  | "importMany"
  | "get"
  | "edit"
  | "feedback"
  | "forget"
  | "keepCopy"
  | "restore"
  | "archived"
  | "readArchived"
> & {
  /** Moves one record into the archive and nothing with it. Throws `MemoryNotFoundError`. */
  archive(id: string): Promise<ArchiveEntry>;
  /** Adds missing links. Ignores a memory that no longer exists. */
  addLinks(id: string, links: readonly MemoryLink[]): Promise<void>;
};

/** Writes, edits, archives and restores the memories of a profile. */
export function createMemoryStore(dependencies: MemoryStoreDependencies): Writes {
  const { storage, ids, related, uses, list, clock } = dependencies;

  async function add(memory: NewMemory, origin: Origin): Promise<MemoryRecord> {
    const { record } = await createUnderFreeId(async () => {
      const draft = newRecord(memory, origin, { ids, clock });
      const [linked = draft] = await withLinks([draft]);
      return storage.create(linked);
    });
    return record;
  }

  async function withLinks(records: readonly MemoryRecord[]): Promise<MemoryRecord[]> {
    const query = relatedQueryOf(records);
    if (query.runs.length + query.conversations.length + query.entities.length === 0) return [...records];
    const links = findLinks(records, await related(query));
    return records.map((record, index) => ({ ...record, links: links[index] ?? record.links }));
  }

  async function change(id: string, changed: (record: MemoryRecord) => MemoryRecord): Promise<MemoryRecord> {
    return existing(await storage.change(id, (record) => parseAsStored(changed(record))), id).record;
  }

  async function archive(id: string, about: Pick<ArchiveMetadata, "runId"> = {}): Promise<ArchiveEntry> {
    return existing(await storage.archive(id, (filed) => ({ ...noteOf(filed), ...about })), id);
  }

  return {
    add,

    async addMany(memories, origin) {
      const [only, second] = memories;
      if (!only) return [];
      if (!second) return [await add(only, origin)];
      // A bulk write does not look for taken ids; the suffix keeps ids of two processes distinct.
      const suffix = `-${randomSuffix()}`;
      const records = await withLinks(
        memories.map((memory) => newRecord(memory, origin, { ids, clock, suffix })),
      );
      await storage.createMany(records);
      return records;
    },

    importMany: (records) => importRecords(records, storage),

    get: async (id) => existing(await storage.find(id), id).record,

    edit: (id, edit) =>
      change(id, (record) => ({
        ...record,
        ...omitUndefined(edit),
        version: nextVersion("memory", record, edit),
      })),

    async feedback(id, { verdict, note }) {
      const changed = await change(id, (record) => ({
        ...record,
        importance: importanceAfter(record.importance, verdict),
      }));
      const at = clock().getTime();
      await uses.record([{ memoryId: id, kind: verdict, at, ...(note !== undefined && { note }) }]);
      return changed;
    },

    async addLinks(id, links) {
      await storage.change(id, (record) => {
        const known = new Set([id, ...record.links.map((link) => link.id)]);
        const added = links.filter((link) => !known.has(link.id));
        if (added.length === 0 || record.links.length + added.length > MAX_LINKS) return record;
        return parseAsStored({ ...record, links: [...record.links, ...added] });
      });
    },

    archive: (id) => archive(id),

    async forget(id, { runId } = {}) {
      const { record } = existing(await storage.find(id), id);
      const entry = await archive(id, { runId });
      for (const id of await exchangesWithFact(record, list))
        await storage.archive(id, (filed) => ({ ...noteOf(filed), runId, forgottenWith: entry.id }));
      return entry;
    },

    keepCopy: async (id) => existing(await storage.archiveCopy(id, noteOf), id),

    async restore(archiveId) {
      const { record } = await storage.restore(archiveId);
      const forgottenWithIt = (await storage.archived()).filter(
        ({ forgottenWith }) => forgottenWith === archiveId,
      );
      for (const { id } of forgottenWithIt) await storage.restore(id);
      // Recording the use keeps retention from archiving the memory again at once.
      await uses.record([{ memoryId: record.id, kind: "restored", at: clock().getTime() }]);
      return record;
    },

    archived: () => storage.archived(),
    readArchived: (archiveId) => storage.readArchived(archiveId),
  };
}

/** Throws `MemoryNotFoundError` if nothing was found. */
function existing<Found>(found: Found | undefined, id: string): Found {
  if (found === undefined)
    throw new MemoryNotFoundError(`There is no memory with the id ${id.slice(0, 120)}.`);
  return found;
}

/** Imports records in batches, each durable at once. Existing records are not changed. */
async function importRecords(
  records: readonly MemoryRecord[],
  storage: Pick<MemoryStorage, "importMany">,
): Promise<ImportReport> {
  const report: ImportReport = { added: [], unchanged: [], conflicts: [] };
  for (let next = 0; next < records.length; next += IMPORT_BATCH) {
    const batch: MemoryRecord[] = [];
    for (const record of records.slice(next, next + IMPORT_BATCH)) {
      batch.push(parseAsStored(record));
      if (batch.length % CHECKED_PER_TURN === 0) await nextTurn();
    }
    const { added, unchanged, conflicts } = await storage.importMany(batch);
    report.added.push(...added);
    report.unchanged.push(...unchanged);
    report.conflicts.push(...conflicts);
  }
  return report;
}

function noteOf({ record, path }: StoredMemory): { title: string; origin: string } {
  return { title: record.content, origin: originOf(path) };
}

/** The folder of a record, as the archive shows it. */
function originOf(path: string): string {
  return `memory/${posix.dirname(path)}`;
}

/** The change in importance per rating; the result stays within 0–1. */
const STEP = 0.2;

/** The importance of a memory after a rating. */
function importanceAfter(importance: number, verdict: Feedback["verdict"]): number {
  const moved = importance + (verdict === "useful" ? STEP : -STEP);
  return Math.round(Math.max(0, Math.min(1, moved)) * 1_000) / 1_000;
}

/** The source and trust of a memory, as stated by the caller. */
export interface Origin {
  source: MemorySource;
  trust: MemoryTrust;
}

/** Patterns and counts of uses are about requests, and do not link with what those name. */
const WITHOUT_ENTITIES: ReadonlySet<MemoryType> = new Set<MemoryType>(["pattern", "function_usage"]);

/** Creates a record with defaults for missing fields; its entities are read from its text. Throws `InvalidArgsError` if it is invalid. */
export function newRecord(
  memory: NewMemory,
  { source, trust }: Origin,
  { ids, clock, suffix = "" }: { ids: RecordIds; clock: () => Date; suffix?: string },
): MemoryRecord {
  return parseAsStored({
    id: ids.next(`${shortSlug(memory.content, "memory")}${suffix}`),
    type: memory.type,
    content: memory.content,
    timestamp: clock().toISOString(),
    tags: [...new Set(memory.tags)],
    entities: [...new Set(memory.entities ?? entitiesOf(memory))],
    links: memory.links ?? [],
    source,
    context: memory.context ?? {},
    metadata: memory.metadata ?? {},
    importance: memory.importance ?? DEFAULT_IMPORTANCE[memory.type],
    pinned: memory.pinned ?? false,
    trust,
    version: 1,
  });
}

function entitiesOf({ type, content }: NewMemory): string[] {
  return WITHOUT_ENTITIES.has(type) ? [] : extractEntities(content);
}

/**
 * The initial importance of each type, 0–1. Deliberate notes rank above recorded events, so that an earlier question does
 * not outrank its answer.
 */
const DEFAULT_IMPORTANCE: Readonly<Record<MemoryType, number>> = {
  curated: 0.8,
  observation: 0.6,
  pattern: 0.6,
  reflection: 0.5,
  audio: 0.5,
  curiosity_question: 0.4,
  action: 0.4,
  conversation: 0.3,
  dream: 0.3,
  inner_dialogue: 0.3,
  tool_invocation: 0.2,
  function_usage: 0.2,
};

/** Lists memories by time, page by page. */
export function createMemoryList({
  client,
  storage,
}: {
  client: IndexClient;
  storage: Pick<MemoryStorage, "read">;
}): MemoryPort["list"] {
  return async ({ limit, cursor, ...narrowed }) => {
    const [timestamp, id] = cursor === undefined ? [] : decodeCursor(cursor, 2);
    const after = timestamp === undefined || id === undefined ? undefined : { timestamp, id };
    const { entries, total } = await client.call("page", { ...narrowed, limit, after });
    const found = await Promise.all(entries.map((entry) => storage.read(entry)));
    const last = entries.at(-1);
    return {
      // Omits files that were removed since they were indexed.
      items: found.flatMap((filed) => filed?.record ?? []),
      nextCursor: last && entries.length === limit ? encodeCursor([last.timestamp, last.id]) : null,
      total,
    };
  };
}

/** What a person or an agent noted, as opposed to requests, answers and calls. */
const FACTS: ReadonlySet<MemoryType> = new Set<MemoryType>(["curated", "observation", "action", "audio"]);
/** Look-ups and notes in memory, whose records repeat what they found. */
const MEMORY_SKILL = /^memory_/u;
/** Where one statement of a sentence may end and the next begin. */
const JOINT = /\s*[;,]\s+(?:(?:and|but)\s+)?|\s+(?:and|but)\s+|\n+/iu;
/** A statement with fewer content words is too short to be recognized. */
const MIN_WORDS = 2;
/** Of a long document, only the first statements are searched for. */
const MAX_STATEMENTS = 24;
const PAGE_SIZE = 100;
const MAX_EXCHANGES = 2_000;

/**
 * The ids of the exchanges and memory look-ups that contain a fact: those with a statement of it word for word, and
 * answers from memory with all its content words. None for a memory that is not a fact.
 */
export async function exchangesWithFact(
  fact: Pick<MemoryRecord, "type" | "content">,
  list: MemoryPort["list"],
): Promise<string[]> {
  if (!FACTS.has(fact.type)) return [];
  const ids = new Set<string>();
  for (const statement of statementsOf(fact.content)) {
    // The trailing space makes the last word match as a whole word, not as a prefix.
    const query = `${contentWords(statement).join(" ")} `;
    for (let cursor: string | null | undefined; cursor !== null && ids.size < MAX_EXCHANGES;) {
      const page = await list({
        types: ["conversation", "tool_invocation"],
        query,
        limit: PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
      });
      for (const record of page.items) if (repeats(record, statement)) ids.add(record.id);
      cursor = page.nextCursor;
    }
  }
  return [...ids];
}

/** The sentences of a text and their parts, each once. */
function statementsOf(text: string): string[] {
  // A joint would be looked for from every blank of a gap on.
  const spaced = text.replaceAll(/[^\S\n]+/gu, " ");
  const sentences = spaced.split(/\n+/u).flatMap(sentencesIn);
  const parts = sentences.flatMap((sentence) => [sentence, ...sentence.split(JOINT)]);
  const long = parts.filter((part) => new Set(contentWords(part).map(stemOf)).size >= MIN_WORDS);
  return [...new Set(long)].slice(0, MAX_STATEMENTS);
}

/** True for a record with all words of a statement if it repeats them in order, or comes from a look-up in memory. */
function repeats({ type, content, context, metadata }: MemoryRecord, statement: string): boolean {
  if (type === "tool_invocation") return MEMORY_SKILL.test(metadata.toolName ?? "");
  const { skill } = context;
  return (
    skill === undefined || MEMORY_SKILL.test(skill) || spacedWords(content).includes(spacedWords(statement))
  );
}
