import { ModelInfo } from "@metahuman/core/contract/models";
import type { OpenAI } from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import {
  type CallSubject,
  type CallLimits,
  failure,
  limitedCall,
  QUESTION_LIMITS,
  statusFailure,
} from "../http-failure.ts";
import { isUsable, type ChatMessage, type ChatRequest, type ModelProvider } from "../provider.ts";
import type { TimeLimits, Watch } from "../time-limits.ts";
import { readChunks } from "./read-chunks.ts";

export interface OpenAiOptions {
  id: string;
  /** Base URL up to and including the version, e.g. `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** From the environment only; most local servers want none. */
  apiKey: string | undefined;
  limits: TimeLimits;
}

interface Sdk {
  OpenAI: typeof OpenAI;
  client: OpenAI;
}

const ModelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int(), embedding: z.array(z.number()).min(1) })),
});

/** Any server that speaks the OpenAI protocol, over the official client. Retries are the router's business. */
export function createOpenAiProvider({ id, baseUrl, apiKey, limits }: OpenAiOptions): ModelProvider {
  const address = new URL(baseUrl).origin;
  let opening: Promise<Sdk> | undefined;

  /** Loaded with the first call: the client is large, and most machines never need it. */
  async function open(): Promise<Sdk> {
    const { OpenAI } = await import("openai");
    const options = { baseURL: baseUrl, apiKey: apiKey ?? "none", maxRetries: 0, timeout: limits.totalMs };
    return { OpenAI, client: new OpenAI({ ...options, logLevel: "off", organization: null, project: null }) };
  }

  async function* call<Part>(
    { subject, ...terms }: CallLimits,
    body: (client: OpenAI, clock: Watch) => AsyncIterable<Part>,
  ): AsyncGenerator<Part> {
    const { OpenAI, client } = await (opening ??= open());
    yield* limitedCall({ subject, ...terms }, async function* (clock) {
      try {
        yield* body(client, clock);
      } catch (error) {
        throw typed(OpenAI, error, subject);
      }
    });
  }

  async function ask<Reply>(
    terms: CallLimits,
    question: (client: OpenAI, clock: Watch) => Promise<Reply>,
  ): Promise<Reply> {
    const replies = call(terms, async function* (client, clock) {
      yield await question(client, clock);
    });
    for await (const reply of replies) return reply;
    throw failure("malformed", terms.subject);
  }

  const about = (model?: string): CallSubject => ({ provider: id, address, model });

  async function list(signal: AbortSignal): Promise<ModelInfo[]> {
    return ask({ subject: about(), limits: QUESTION_LIMITS, signal }, async (client, clock) => {
      const reply = ModelList.safeParse(await client.models.list({ signal: clock.signal }));
      if (!reply.success) throw failure("malformed", about(), { cause: reply.error });
      return reply.data.data
        .filter(({ id }) => isUsable(id))
        .map(({ id: name }) => ModelInfo.parse({ name }));
    });
  }

  return {
    id,
    kind: "openai-compatible",
    address,
    list,

    chat: (request, signal) =>
      call({ subject: about(request.model), limits, signal }, async function* (client, clock) {
        const stream = await client.chat.completions.create(
          {
            model: request.model,
            messages: request.messages.map(toMessage),
            stream: true,
            stream_options: { include_usage: true },
            ...chatOptions(request),
          },
          { signal: clock.signal },
        );
        clock.heard();
        yield* readChunks(stream, about(request.model), clock);
      }),

    embed: (model, texts, signal) =>
      ask({ subject: about(model), limits, signal }, async (client, clock) => {
        const reply = Embeddings.safeParse(
          await client.embeddings.create(
            { model, input: [...texts], encoding_format: "float" },
            { signal: clock.signal },
          ),
        );
        if (!reply.success || reply.data.data.length !== texts.length)
          throw failure("malformed", about(model), { cause: reply.error });
        return reply.data.data
          .toSorted((a, b) => a.index - b.index)
          .map(({ embedding }) => Float32Array.from(embedding));
      }),

    async show(model, signal) {
      const info = (await list(signal)).find(({ name }) => name === model);
      if (!info) throw failure("model-missing", about(model));
      return info;
    },
  };
}

/** Types what the client throws by its classes; its connection errors are left to `callError`. */
function typed(OpenAI: Sdk["OpenAI"], error: unknown, subject: CallSubject): unknown {
  if (error instanceof OpenAI.APIConnectionError || error instanceof OpenAI.APIUserAbortError) return error;
  if (error instanceof OpenAI.APIError) {
    const status: unknown = error.status;
    if (typeof status !== "number") return failure("broke-off", subject, { cause: error });
    return failure(statusFailure(status, subject.model !== undefined), subject, { status, cause: error });
  }
  if (error instanceof SyntaxError) return failure("malformed", subject, { cause: error });
  return error;
}

function chatOptions({ temperature, maxTokens, format, tools }: ChatRequest) {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(format && {
      response_format: {
        type: "json_schema" as const,
        json_schema: { name: "reply", schema: format, strict: false },
      },
    }),
    ...(tools && { tools: tools.map((tool) => ({ type: "function" as const, function: { ...tool } })) }),
  };
}

function toMessage(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    case "assistant":
      return {
        role: "assistant",
        content: message.content,
        ...(message.toolCalls && {
          tool_calls: message.toolCalls.map(({ id, name, args }) => ({
            id,
            type: "function" as const,
            function: { name, arguments: JSON.stringify(args) },
          })),
        }),
      };
    case "tool":
      return { role: "tool", content: message.content, tool_call_id: message.callId };
    default:
      return message satisfies never;
  }
}
