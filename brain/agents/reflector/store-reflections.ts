import type { MemoryRecord, NewMemory } from "@metahuman/core/contract/memory";
import { redactText } from "@metahuman/core/log/redact";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { OPEN_QUESTION, PROPOSED_FACT } from "@metahuman/core/memory/store/proposals";
import { jaccardIndex } from "@metahuman/core/text/overlap";
import { contentStems } from "@metahuman/core/text/words";
import type { ReflectionItem, ReflectorReply } from "./ask-reflector.ts";

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

/** The word overlap from which two observations count as near duplicates. */
const NEARLY_SAME = 0.6;
/** The share of a merged text's words that must occur in its sources; the rest is grammar. */
const COVERED = 0.7;

/** Returns groups of near-duplicate observations of equal trust without pinned ones, oldest first. */
export function nearDuplicates(records: readonly MemoryRecord[]): MemoryRecord[][] {
  const groups: { stems: Set<string>; members: MemoryRecord[] }[] = [];
  for (const record of [...records].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    if (record.type !== "observation" || record.pinned) continue;
    const stems = stemsOf(record.content);
    const group = groups.find(
      (other) => other.members[0]?.trust === record.trust && jaccardIndex(other.stems, stems) >= NEARLY_SAME,
    );
    if (group) group.members.push(record);
    else groups.push({ stems, members: [record] });
  }
  return groups.map(({ members }) => members).filter((members) => members.length > 1);
}

/** Whether a merged text only contains what its sources contain. */
function isCovered(merged: string, sources: readonly MemoryRecord[]): boolean {
  const known = new Set(sources.flatMap(({ content }) => [...stemsOf(content)]));
  const stems = [...stemsOf(merged)];
  return stems.length > 0 && stems.filter((stem) => known.has(stem)).length >= COVERED * stems.length;
}

function stemsOf(text: string): Set<string> {
  return contentStems(text.slice(0, 5_000));
}
