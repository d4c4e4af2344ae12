import { z } from "zod";

const Text = z.string().trim().min(3).max(2_000);
/** The numbers of the source memories. */
const Sources = z.array(z.int()).min(1).max(40);
const Thought = z.object({ text: Text, sources: Sources });

/** The reply of a model that was asked to reflect; surplus items are cut off. */
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
