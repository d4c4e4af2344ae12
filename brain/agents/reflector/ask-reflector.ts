import { z } from "zod";
import { fenceData } from "@metahuman/core/context/fenced";
import type { MemoryRecord } from "@metahuman/core/contract/memory";
import { redactText } from "@metahuman/core/log/redact";
import { oneLine } from "@metahuman/core/text/format";
import type { AskOptions } from "@metahuman/models/ask";
import { openPrompts } from "@metahuman/models/prompts";
import { askForJson } from "@metahuman/models/structured-reply";

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

/** The maximum length of a memory in the prompt, in characters. */
const MAX_MEMORY_LENGTH = 400;

const prompt = openPrompts(new URL("./", import.meta.url), ["reflect"]);

/**
 * Sends numbered memories, without secrets and marked as data, to the summarizer's model and returns its reply;
 * undefined if the reply is unusable. Throws `ModelError`, `ModelUnavailableError` and the signal's reason.
 */
export async function askReflector(
  records: readonly MemoryRecord[],
  groups: readonly (readonly MemoryRecord[])[],
  options: Pick<AskOptions, "router" | "signal" | "onModelCall" | "onWarning">,
): Promise<ReflectorReply | undefined> {
  const reply = await askForJson(
    ReflectorReply,
    {
      messages: [
        { role: "system", content: prompt("reflect") },
        { role: "user", content: formatMemories(records, groups) },
      ],
      temperature: 0.4,
      think: "auto",
    },
    { ...options, role: "summarizer", purpose: "reflect" },
  );
  return reply.ok ? reply.value : undefined;
}

function formatMemories(
  records: readonly MemoryRecord[],
  groups: readonly (readonly MemoryRecord[])[],
): string {
  const lines = records.map(({ content, timestamp, type }, index) => {
    const text = oneLine(redactText(content)).slice(0, MAX_MEMORY_LENGTH).toWellFormed();
    return `${index + 1}. [${timestamp.slice(0, 10)}, ${type}] ${fenceData(text)}`;
  });
  const same = groups.map((group) => group.map((record) => records.indexOf(record) + 1).join(", "));
  return [
    "Memories:",
    ...lines,
    ...(same.length > 0 ? ["", "Nearly the same:", ...same.map((numbers) => `- ${numbers}`)] : []),
  ].join("\n");
}
