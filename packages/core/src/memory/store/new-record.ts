import type {
  MemoryRecord,
  MemorySource,
  MemoryTrust,
  MemoryType,
  NewMemory,
} from "../../contract/memory.ts";
import { asStored } from "./record-files.ts";
import type { RecordIds } from "./record-paths.ts";
import { shortSlug } from "../../text/slug.ts";
import { extractEntities } from "../entities.ts";

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
  return asStored({
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
