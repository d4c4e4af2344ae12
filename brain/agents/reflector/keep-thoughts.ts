import type { MemoryRecord, NewMemory } from "@metahuman/core/contract/memory";
import { redactText } from "@metahuman/core/log/secret-patterns";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { OPEN_QUESTION, PROPOSED_FACT } from "@metahuman/core/memory/store/proposals";
import { isCovered } from "./duplicates.ts";
import type { ReflectorReply, Thought } from "./reply.ts";

/** The maximum numbers; further items are ignored. */
const MOST = { reflections: 3, questions: 3, facts: 5, merges: 10, contradictions: 3 };

export interface Kept {
  reflections: number;
  dreams: number;
  questions: number;
  facts: number;
  merged: number;
  /** The number of ignored items: those without sources, and those that say more than their sources. */
  left: number;
}

export interface Keeping {
  memory: Pick<MemoryPort, "add" | "forget">;
  /** Numbered from 1, as in the prompt. */
  records: readonly MemoryRecord[];
  groups: readonly (readonly MemoryRecord[])[];
  signal: AbortSignal;
}

/** Stores the items of a reply as memories with their sources. A memory with an untrusted source is untrusted. */
export async function keepThoughts(reply: ReflectorReply, keeping: Keeping): Promise<Kept> {
  const { memory, records, groups, signal } = keeping;
  const kept: Kept = { reflections: 0, dreams: 0, questions: 0, facts: 0, merged: 0, left: 0 };

  const sourcesOf = ({ sources }: Thought): MemoryRecord[] | undefined => {
    const found = [...new Set(sources)].map((number) => records[number - 1]);
    return found.every((record) => record !== undefined) ? found : undefined;
  };

  async function keep(
    thought: Thought,
    type: NewMemory["type"],
    { relation, tags = [] }: { relation: string; tags?: string[] },
    count: keyof Kept,
  ): Promise<void> {
    signal.throwIfAborted();
    const sources = sourcesOf(thought);
    if (!sources) return void (kept.left += 1);
    await memory.add(
      { type, content: redactText(thought.text), tags, links: sources.map(({ id }) => ({ id, relation })) },
      { source: { kind: "agent" }, trust: trustOf(sources) },
    );
    kept[count] += 1;
  }

  for (const thought of reply.reflections.slice(0, MOST.reflections))
    await keep(thought, "reflection", { relation: "reflects-on" }, "reflections");
  if (reply.dream) await keep(reply.dream, "dream", { relation: "dreams-of" }, "dreams");
  for (const thought of reply.questions.slice(0, MOST.questions))
    await keep(thought, "curiosity_question", { relation: "asks-about", tags: [OPEN_QUESTION] }, "questions");
  for (const thought of reply.contradictions.slice(0, MOST.contradictions))
    await keep(
      thought,
      "curiosity_question",
      { relation: "contradicts", tags: [OPEN_QUESTION, "contradiction"] },
      "questions",
    );
  for (const thought of reply.facts.slice(0, MOST.facts))
    await keep(thought, "reflection", { relation: "derived-from", tags: [PROPOSED_FACT] }, "facts");

  for (const thought of reply.merges.slice(0, MOST.merges)) {
    signal.throwIfAborted();
    const sources = sourcesOf(thought);
    const group = sources && groups.find((members) => sources.every((source) => members.includes(source)));
    if (!sources || !group || sources.length < 2 || !isCovered(thought.text, sources)) {
      kept.left += 1;
      continue;
    }
    await keep(thought, "observation", { relation: "consolidates", tags: sharedTags(sources) }, "merged");
    // The new memory is stored before the old ones are archived; each can be restored.
    for (const { id } of sources) await memory.forget(id);
  }
  return kept;
}

function trustOf(sources: readonly MemoryRecord[]): MemoryRecord["trust"] {
  return sources.every(({ trust }) => trust === "trusted") ? "trusted" : "untrusted";
}

function sharedTags(sources: readonly MemoryRecord[]): string[] {
  return [...new Set(sources.flatMap(({ tags }) => tags))].slice(0, 64);
}
