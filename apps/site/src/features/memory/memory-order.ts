import type { MemoryRecord, MemoryType } from "@metahuman/core/contract/memory";

/** The record types of requests and calls, in the order in which a search lists them. */
const LOG_TYPES: readonly MemoryType[] = [
  "conversation",
  "inner_dialogue",
  "action",
  "function_usage",
  "tool_invocation",
];

/** False for the record types of requests and calls, which often repeat the words of a fact. */
export const isFact = (type: MemoryType): boolean => !LOG_TYPES.includes(type);

/** The order of search results: facts, then conversations, then requests and calls. */
export const byInterest = (one: Pick<MemoryRecord, "type">, other: Pick<MemoryRecord, "type">): number =>
  LOG_TYPES.indexOf(one.type) - LOG_TYPES.indexOf(other.type);
