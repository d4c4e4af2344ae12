import type { MemoryRecord, NewMemory } from "@metahuman/core/contract/memory";
import { redactText } from "@metahuman/core/log/redact";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { OPEN_QUESTION, PROPOSED_FACT } from "@metahuman/core/memory/store/proposals";
import { isCovered } from "./duplicates.ts";
import type { ReflectorReply, ReflectionItem } from "./ask-reflector.ts";

/** The maximum numbers; further items are ignored. */
const MAX_ITEMS = { reflections: 3, questions: 3, facts: 5, merges: 10, contradictions: 3 };

export interface StoredCounts {
  reflections: number;
  dreams: number;
  questions: number;
  facts: number;
  merged: number;
  /** The number of ignored items: those without sources, and those that say more than their sources. */
  ignored: number;
}

export interface StoreReflectionsDependencies {
  memory: Pick<MemoryPort, "add" | "forget">;
  /** Numbered from 1, as in the prompt. */
  records: readonly MemoryRecord[];
  groups: readonly (readonly MemoryRecord[])[];
  signal: AbortSignal;
}

/** Stores the items of a reply as memories with their sources. A memory with an untrusted source is untrusted. */
export async function storeReflections(
  reply: ReflectorReply,
  dependencies: StoreReflectionsDependencies,
): Promise<StoredCounts> {
  const { memory, records, groups, signal } = dependencies;
  const stored: StoredCounts = { reflections: 0, dreams: 0, questions: 0, facts: 0, merged: 0, ignored: 0 };

  const sourcesOf = ({ sources }: ReflectionItem): MemoryRecord[] | undefined => {
    const found = [...new Set(sources)].map((number) => records[number - 1]);
    return found.every((record) => record !== undefined) ? found : undefined;
  };

  async function store(
    item: ReflectionItem,
    type: NewMemory["type"],
    { relation, tags = [] }: { relation: string; tags?: string[] },
    count: keyof StoredCounts,
  ): Promise<void> {
    signal.throwIfAborted();
    const sources = sourcesOf(item);
    if (!sources) return void (stored.ignored += 1);
    await memory.add(
      { type, content: redactText(item.text), tags, links: sources.map(({ id }) => ({ id, relation })) },
      { source: { kind: "agent" }, trust: trustOf(sources) },
    );
    stored[count] += 1;
  }

  for (const item of reply.reflections.slice(0, MAX_ITEMS.reflections))
    await store(item, "reflection", { relation: "reflects-on" }, "reflections");
  if (reply.dream) await store(reply.dream, "dream", { relation: "dreams-of" }, "dreams");
  for (const item of reply.questions.slice(0, MAX_ITEMS.questions))
    await store(item, "curiosity_question", { relation: "asks-about", tags: [OPEN_QUESTION] }, "questions");
  for (const item of reply.contradictions.slice(0, MAX_ITEMS.contradictions))
    await store(
      item,
      "curiosity_question",
      { relation: "contradicts", tags: [OPEN_QUESTION, "contradiction"] },
      "questions",
    );
  for (const item of reply.facts.slice(0, MAX_ITEMS.facts))
    await store(item, "reflection", { relation: "derived-from", tags: [PROPOSED_FACT] }, "facts");

  for (const item of reply.merges.slice(0, MAX_ITEMS.merges)) {
    signal.throwIfAborted();
    const sources = sourcesOf(item);
    const group = sources && groups.find((members) => sources.every((source) => members.includes(source)));
    if (!sources || !group || sources.length < 2 || !isCovered(item.text, sources)) {
      stored.ignored += 1;
      continue;
    }
    await store(item, "observation", { relation: "consolidates", tags: sharedTags(sources) }, "merged");
    // The new memory is stored before the old ones are archived; each can be restored.
    for (const { id } of sources) await memory.forget(id);
  }
  return stored;
}

function trustOf(sources: readonly MemoryRecord[]): MemoryRecord["trust"] {
  return sources.every(({ trust }) => trust === "trusted") ? "trusted" : "untrusted";
}

function sharedTags(sources: readonly MemoryRecord[]): string[] {
  return [...new Set(sources.flatMap(({ tags }) => tags))].slice(0, 64);
}
