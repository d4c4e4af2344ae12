import { z } from "zod";
import { type CallSubject, type CallTimer, createModelError } from "../model-error.ts";
import { readToolCall, type ChatPart, type ChatUsage } from "../provider.ts";

/** The fields of a streamed chunk that are read here. */
const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            /** The thinking of a reasoning model. The field's name is not standard. */
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().nonnegative().default(0),
                  id: z.string().nullish(),
                  function: z
                    .looseObject({ name: z.string().nullish(), arguments: z.string().nullish() })
                    .optional(),
                }),
              )
              .nullish(),
          })
          .optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z
    .looseObject({
      prompt_tokens: z.int().nonnegative(),
      completion_tokens: z.int().nonnegative().default(0),
    })
    .nullish(),
  error: z.unknown().optional(),
});

interface PartialCall {
  id: string;
  name: string;
  args: string;
}

/** Reads a streamed completion: text as it arrives, then complete tool calls, then `done`. */
export async function* readChunks(
  stream: AsyncIterable<unknown>,
  subject: CallSubject,
  timer: CallTimer,
): AsyncGenerator<ChatPart> {
  const calls = new Map<number, PartialCall>();
  let finish: string | undefined;
  let hasText = false;
  let usage: ChatUsage = { promptTokens: undefined, completionTokens: undefined, generationMs: undefined };

  for await (const raw of stream) {
    timer.received();
    const parsed = Chunk.safeParse(raw);
    if (!parsed.success) throw createModelError("malformed", subject, { cause: parsed.error });
    if (parsed.data.error !== undefined && parsed.data.error !== null)
      throw createModelError("broke-off", subject);
    if (parsed.data.usage) {
      const { prompt_tokens, completion_tokens } = parsed.data.usage;
      usage = { ...usage, promptTokens: prompt_tokens, completionTokens: completion_tokens };
    }
    const choice = parsed.data.choices[0];
    const thinking = choice?.delta?.reasoning_content ?? choice?.delta?.reasoning;
    if (thinking) yield { type: "thinking", text: thinking };
    if (choice?.delta?.content) {
      hasText = true;
      yield { type: "text", text: choice.delta.content };
    }
    for (const piece of choice?.delta?.tool_calls ?? [])
      appendToCall(calls, piece.index, piece.id, piece.function);
    finish = choice?.finish_reason ?? finish;
  }

  if (finish === undefined) throw createModelError("truncated", subject);
  const isCutOff = finish === "length";
  const all = [...calls.values()];
  for (const [index, call] of all.entries()) {
    // Only the last call can be truncated by the limit.
    yield { type: "tool-call", call: readToolCall(call, isCutOff && index === all.length - 1) };
  }
  if (!hasText && all.length === 0 && !isCutOff) throw createModelError("empty", subject);
  yield { type: "done", finish: isCutOff ? "length" : all.length > 0 ? "tool-calls" : "stop", usage };
}

function appendToCall(
  calls: Map<number, PartialCall>,
  index: number,
  id: string | null | undefined,
  piece: { name?: string | null | undefined; arguments?: string | null | undefined } | undefined,
) {
  const call = calls.get(index) ?? { id: id ?? `call-${String(index + 1)}`, name: "", args: "" };
  calls.set(index, {
    ...call,
    name: call.name + (piece?.name ?? ""),
    args: call.args + (piece?.arguments ?? ""),
  });
}
