import { z } from "zod";

const Text = z.string().trim().min(3).max(2_000);
/** The numbers of the source memories. */
const Sources = z.array(z.int()).min(1).max(40);
const ReflectionItem = z.object({ text: Text, sources: Sources });

/** The reply of a model that was asked to reflect; surplus items are cut off. */
export const ReflectorReply = z.object({
  reflections: z.array(ReflectionItem).default([]),
  dream: ReflectionItem.nullish(),
  questions: z.array(ReflectionItem).default([]),
  facts: z.array(ReflectionItem).default([]),
  merges: z.array(ReflectionItem).default([]),
  contradictions: z.array(ReflectionItem).default([]),
});
export type ReflectorReply = z.infer<typeof ReflectorReply>;
export type ReflectionItem = z.infer<typeof ReflectionItem>;
