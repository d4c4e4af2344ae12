import type { MemoryType } from "../contract/memory.ts";

/**
 * How much a memory of each type matters until somebody says otherwise, 0–1. What was said to be kept comes before what
 * only happened: a question that was asked before must not outrank its answer.
 */
export const DEFAULT_IMPORTANCE: Readonly<Record<MemoryType, number>> = {
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
