import { ModelInfo } from "@metahuman/core/contract/models";
import type { OpenAI } from "openai";
import type { ChatCompletionMessageParam } from "openai/resources/chat/completions";
import { z } from "zod";
import {
  type CallLimits,
  type CallSubject,
  type CallTimer,
  createModelError,
  METADATA_LIMITS,
  rejectWebPage,
  retryAfterMs,
  statusFailure,
  streamWithLimits,
  type TimeLimits,
} from "../model-error.ts";
import { isValidModelName, type ChatMessage, type ChatRequest, type ModelProvider } from "../provider.ts";
import { readChunks } from "./read-chunks.ts";

export interface OpenAiOptions {
  id: string;
  /** Base URL up to and including the version, e.g. `http://127.0.0.1:8000/v1`. */
  baseUrl: string;
  /** From the environment only. Most local servers require none. */
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

/** Connects to an OpenAI-compatible server with the official client. The router handles retries. */
export function createOpenAiProvider({ id, baseUrl, apiKey, limits }: OpenAiOptions): ModelProvider {
  const { origin, pathname } = new URL(baseUrl);
  const address = `${origin}${pathname}`.replace(/\/+$/, "");
  let opening: Promise<Sdk> | undefined;

  /** Loads the client on the first call: it is large and often unused. */
  async function open(): Promise<Sdk> {
    const { OpenAI } = await import("openai");
    const options = { baseURL: baseUrl, apiKey: apiKey ?? "none", maxRetries: 0, timeout: limits.totalMs };
    return { OpenAI, client: new OpenAI({ ...options, logLevel: "off", organization: null, project: null }) };
  }

  async function* call<Part>(
    { subject, ...terms }: CallLimits,
    body: (client: OpenAI, timer: CallTimer) => AsyncIterable<Part>,
  ): AsyncGenerator<Part> {
    const { OpenAI, client } = await (opening ??= open());
    yield* streamWithLimits({ subject, ...terms }, async function* (timer) {
      try {
        yield* body(client, timer);
      } catch (error) {
        throw toModelError(OpenAI, error, subject);
      }
    });
  }

  async function ask<Reply>(
    terms: CallLimits,
    question: (client: OpenAI, timer: CallTimer) => Promise<Reply>,
  ): Promise<Reply> {
    const replies = call(terms, async function* (client, timer) {
      yield await question(client, timer);
    });
    for await (const reply of replies) return reply;
    throw createModelError("malformed", terms.subject);
  }

  const about = (model?: string): CallSubject => ({ provider: id, address, model });

  async function list(signal: AbortSignal): Promise<ModelInfo[]> {
    return ask({ subject: about(), limits: METADATA_LIMITS, signal }, async (client, timer) => {
      const reply = ModelList.safeParse(await client.models.list({ signal: timer.signal }));
      if (!reply.success) throw createModelError("malformed", about(), { cause: reply.error });
      return reply.data.data
        .filter(({ id }) => isValidModelName(id))
        .map(({ id: name }) => ModelInfo.parse({ name }));
    });
  }

  return {
    id,
    kind: "openai-compatible",
    address,
    list,

    chat: (request, signal) =>
      call({ subject: about(request.model), limits, signal }, async function* (client, timer) {
        const { data: stream, response } = await client.chat.completions
          .create(
            {
              model: request.model,
              messages: request.messages.map(toMessage),
              stream: true,
              stream_options: { include_usage: true },
              ...chatOptions(request),
            },
            { signal: timer.signal },
          )
          .withResponse();
        timer.received();
        rejectWebPage(response, about(request.model));
        yield* readChunks(stream, about(request.model), timer);
      }),

    embed: (model, texts, signal) =>
      ask({ subject: about(model), limits, signal }, async (client, timer) => {
        const reply = Embeddings.safeParse(
          await client.embeddings.create(
            { model, input: [...texts], encoding_format: "float" },
            { signal: timer.signal },
          ),
        );
        if (!reply.success || reply.data.data.length !== texts.length)
          throw createModelError("malformed", about(model), { cause: reply.error });
        return reply.data.data
          .toSorted((a, b) => a.index - b.index)
          .map(({ embedding }) => Float32Array.from(embedding));
      }),

    async show(model, signal) {
      const info = (await list(signal)).find(({ name }) => name === model);
      if (!info) throw createModelError("model-missing", about(model));
      return info;
    },
  };
}

/** Converts the client's errors to `ModelError`. `callError` handles its connection errors. */
function toModelError(OpenAI: Sdk["OpenAI"], error: unknown, subject: CallSubject): unknown {
  if (error instanceof OpenAI.APIConnectionError || error instanceof OpenAI.APIUserAbortError) return error;
  if (error instanceof OpenAI.APIError) {
    const status: unknown = error.status;
    const headers: unknown = error.headers;
    if (typeof status !== "number") return createModelError("broke-off", subject, { cause: error });
    return createModelError(statusFailure(status, subject.model !== undefined), subject, {
      status,
      retryAfterMs: headers instanceof Headers ? retryAfterMs(headers.get("retry-after")) : undefined,
      cause: error,
    });
  }
  if (error instanceof SyntaxError) return createModelError("malformed", subject, { cause: error });
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
