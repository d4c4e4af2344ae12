import { parseJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";

const Text = z.string().trim().min(3).max(2_000);
/** The numbers of the memories that it comes from. */
const Sources = z.array(z.int()).min(1).max(40);
const Thought = z.object({ text: Text, sources: Sources });

/** What a model says when it is asked to reflect; more than was asked for is cut off. */
export const ReflectorReply = z.object({
  reflections: z.array(Thought).default([]),
  dream: Thought.nullish(),
  questions: z.array(Thought).default([]),
  facts: z.array(Thought).default([]),
  merges: z.array(Thought).default([]),
  contradictions: z.array(Thought).default([]),
});
export type ReflectorReply = z.infer<typeof ReflectorReply>;
export type Thought = z.infer<typeof Thought>;

/** A reply as JSON, with or without a fence around it; undefined when it is not one. */
export function readReply(text: string): ReflectorReply | undefined {
  const json = /\{[\s\S]*\}/.exec(text)?.[0] ?? "";
  return ReflectorReply.safeParse(parseJson(json)).data;
}
