import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { ModelRole } from "./models.ts";
import { ErrorDetail } from "./problem.ts";

/**
 * What a model was asked for: the next step, the words of an answer, small talk, whether an answer's claims hold, a
 * summary, the text of a recipe's step, code, the words of a learned function, or reflections on memories.
 */
export const ModelCallPurpose = z.enum([
  "plan",
  "answer",
  "converse",
  "review",
  "summarize",
  "compose",
  "curate",
  "learn",
  "reflect",
]);
export type ModelCallPurpose = z.infer<typeof ModelCallPurpose>;

export const PromptMessage = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: z.string(),
});
export type PromptMessage = z.infer<typeof PromptMessage>;

/** What one part of a prompt costs, in tokens as estimated; the server's own count is that of the whole. */
export const PromptSection = z.strictObject({ name: z.string(), tokens: z.int().nonnegative() });
export type PromptSection = z.infer<typeof PromptSection>;

/** One call to a model as the run keeps it: secrets taken out. */
export const ModelCallRecord = z.strictObject({
  /** The step of the run it was made for. */
  step: z.int().positive(),
  purpose: ModelCallPurpose,
  role: ModelRole,
  /** `provider/model`; `none/none` when no server could be asked. */
  model: z.string(),
  messages: z.array(PromptMessage),
  /** The prompt's parts in their order, of calls that plan. */
  sections: z.array(PromptSection).optional(),
  /** As the model gave it: text, or its tool calls as JSON. */
  reply: z.string(),
  /** As the server counted them; 0 where it did not say. */
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  /** Wall time, in milliseconds. */
  durationMs: z.number().nonnegative(),
  /** When it ended. */
  at: Timestamp,
  error: ErrorDetail.optional(),
});
export type ModelCallRecord = z.infer<typeof ModelCallRecord>;

/** How many messages two prompts have in common, from the first. */
export function sharedMessages(before: readonly PromptMessage[], now: readonly PromptMessage[]): number {
  const differs = now.findIndex(({ role, content }, place) => {
    const earlier = before[place];
    return earlier?.role !== role || earlier.content !== content;
  });
  return differs === -1 ? now.length : differs;
}
