import type { Run } from "@metahuman/core/contract/run";
import type { FunctionsPort } from "@metahuman/core/functions/functions-port";
import type { MemoryPort } from "@metahuman/core/memory/memory-port";
import { keyTag, patternFacts, patternOffer } from "@metahuman/core/memory/patterns/pattern-memory";
import { fitsTemplate } from "@metahuman/core/memory/patterns/template";

/** Patterns to look at for one request. */
const MOST_PATTERNS = 5;

/**
 * The request that makes a function of the pattern that an answered run repeats, to be suggested with the answer.
 * Undefined if there is no such pattern, if it was offered before, or if a function does it already. Each pattern is
 * offered once.
 */
export async function offerPattern(
  { goal, context, planner, functionsUsed }: Run,
  memory: Pick<MemoryPort, "recall" | "edit">,
  functions: Pick<FunctionsPort, "listFunctions">,
  now: Date,
): Promise<string | undefined> {
  // The context of the run names the patterns that fit, so that most runs need no search here.
  if ((context?.patterns ?? []).length === 0 || planner === "replay") return undefined;
  if (functionsUsed.some(({ followed }) => followed)) return undefined;
  for (const { memory: record } of await memory.recall({
    query: goal,
    types: ["pattern"],
    limit: MOST_PATTERNS,
  })) {
    const facts = patternFacts(record);
    if (!facts || facts.kind !== "request" || facts.skills.length === 0 || facts.offeredAt !== undefined)
      continue;
    if (record.trust === "untrusted" || !fitsTemplate(facts.template, goal)) continue;
    const { items } = await functions.listFunctions({ tag: keyTag(facts.key), limit: 1 });
    if (items.length > 0) continue;
    const pattern = { ...facts, offeredAt: now.toISOString() };
    await memory.edit(record.id, { metadata: { ...record.metadata, pattern } });
    return patternOffer(facts);
  }
  return undefined;
}
