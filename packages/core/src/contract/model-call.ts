import { z } from "zod";
import { Timestamp } from "./ids.ts";
import { ModelRole } from "./models.ts";
import { ErrorDetail } from "./problem.ts";

/**
 * The purpose of a model call: the next step, which function is meant, an answer, small talk, a check of an answer's claims, a summary, a title, a
 * text for a recipe's step, code, the wording of a learned function, or reflections on memories.
 */
export const ModelCallPurpose = z.enum([
  "plan",
  "choose",
  "answer",
  "converse",
  "review",
  "summarize",
  "title",
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

/** The estimated tokens of one section of a prompt; the server counts only the whole prompt. */
export const PromptSection = z.strictObject({ name: z.string(), tokens: z.int().nonnegative() });
export type PromptSection = z.infer<typeof PromptSection>;

/** One model call in the form that is stored with its run, without secrets. */
export const ModelCallRecord = z.strictObject({
  /** The step of the run that it was made for. */
  step: z.int().positive(),
  purpose: ModelCallPurpose,
  role: ModelRole,
  /** `provider/model`, or `none/none` if no server could be asked. */
  model: z.string(),
  messages: z.array(PromptMessage),
  /** The sections of the prompt in order, for planning calls. */
  sections: z.array(PromptSection).optional(),
  /** The reply of the model: text, or its tool calls as JSON. */
  reply: z.string(),
  /** The reasoning before the reply, of a model that thinks. Not part of later prompts or memories. */
  thinking: z.string().optional(),
  /** As counted by the server; 0 if unknown. */
  promptTokens: z.int().nonnegative(),
  completionTokens: z.int().nonnegative(),
  /** Wall time, in milliseconds. */
  durationMs: z.number().nonnegative(),
  /** When it ended, in UTC. */
  at: Timestamp,
  error: ErrorDetail.optional(),
});
export type ModelCallRecord = z.infer<typeof ModelCallRecord>;

/** Returns the number of leading messages that two prompts share. */
export function sharedMessages(before: readonly PromptMessage[], now: readonly PromptMessage[]): number {
  const differs = now.findIndex(({ role, content }, index) => {
    const earlier = before[index];
    return earlier?.role !== role || earlier.content !== content;
  });
  return differs === -1 ? now.length : differs;
}
