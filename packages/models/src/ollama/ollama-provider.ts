import { type Message, Ollama } from "ollama";
import { z } from "zod";
import { ModelInfo, PullProgress } from "@metahuman/core/contract/models";
import { parseJson } from "@metahuman/core/contract/parse-json";
import {
  askWithLimits,
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
import {
  type ChatMessage,
  type ChatPart,
  type ChatRequest,
  isValidModelName,
  type ModelProvider,
  readToolCall,
} from "../provider.ts";

export interface OllamaOptions {
  id: string;
  /** Base URL, e.g. `http://127.0.0.1:11434`. */
  baseUrl: string;
  /** How long the server keeps an idle model in memory, in Ollama's notation: `5m`. */
  keepAlive: string;
  limits: TimeLimits;
}

/** Limits of a download. Registries are slow between layers. */
const PULL_LIMITS: TimeLimits = { firstByteMs: 60_000, silenceMs: 120_000, totalMs: 24 * 3_600_000 };

/** Connects to Ollama with its own client. Each call has a client because list, show and embed take no signal. */
export function createOllamaProvider({ id, baseUrl, keepAlive, limits }: OllamaOptions): ModelProvider {
  const address = new URL(baseUrl).origin;
  // Ollama reads seconds only from a JSON number.
  const keep_alive = /^-?\d+$/u.test(keepAlive) ? Number(keepAlive) : keepAlive;

  const subjectOf = (model?: string): CallSubject => ({ provider: id, address, model });
  const clientFor = (subject: CallSubject, timer: CallTimer) =>
    new Ollama({ host: baseUrl, fetch: guardedFetch(subject, timer) });

  async function ask<Reply>(
    terms: CallLimits,
    shape: z.ZodType<Reply>,
    call: (client: Ollama) => Promise<unknown>,
  ): Promise<Reply> {
    return askWithLimits(terms, async (timer) => {
      const reply = shape.safeParse(await call(clientFor(terms.subject, timer)));
      if (!reply.success) throw createModelError("malformed", terms.subject, { cause: reply.error });
      return reply.data;
    });
  }

  return {
    id,
    kind: "ollama",
    address,

    chat: (request, signal) =>
      streamWithLimits({ subject: subjectOf(request.model), limits, signal }, async function* (timer) {
        const stream = await clientFor(subjectOf(request.model), timer).chat({
          model: request.model,
          messages: request.messages.map(toMessage),
          stream: true,
          keep_alive,
          ...(request.format && { format: request.format }),
          ...(request.tools && {
            tools: request.tools.map((tool) => ({ type: "function", function: { ...tool } })),
          }),
          ...(request.think !== undefined && { think: request.think }),
          options: chatOptions(request),
        });
        yield* readChat(stream, subjectOf(request.model));
      }),

    async embed(model, texts, signal) {
      const reply = await ask({ subject: subjectOf(model), limits, signal }, OllamaEmbeddings, (client) =>
        client.embed({ model, input: [...texts], keep_alive }),
      );
      if (reply.embeddings.length !== texts.length) throw createModelError("malformed", subjectOf(model));
      return reply.embeddings.map((vector) => Float32Array.from(vector));
    },

    async list(signal) {
      const { models } = await ask(
        { subject: subjectOf(), limits: METADATA_LIMITS, signal },
        OllamaList,
        (client) => client.list(),
      );
      return models
        .filter(({ name }) => isValidModelName(name))
        .map(({ name, size, details }) =>
          ModelInfo.parse({
            name,
            bytes: size,
            family: details?.family,
            parameterSize: details?.parameter_size,
          }),
        );
    },

    async show(model, signal) {
      return toModelInfo(
        model,
        await ask({ subject: subjectOf(model), limits: METADATA_LIMITS, signal }, OllamaShow, (client) =>
          client.show({ model }),
        ),
      );
    },

    async remove(model, signal) {
      await ask({ subject: subjectOf(model), limits: METADATA_LIMITS, signal }, OllamaDone, (client) =>
        client.delete({ model }),
      );
    },

    pull: (model, signal) =>
      streamWithLimits({ subject: subjectOf(model), limits: PULL_LIMITS, signal }, async function* (timer) {
        for await (const part of await clientFor(subjectOf(model), timer).pull({ model, stream: true })) {
          const { status, total, completed } = OllamaPull.parse(part);
          yield PullProgress.parse({
            status,
            ...(total !== undefined && { totalBytes: total, completedBytes: completed ?? 0 }),
            ...(total !== undefined && total > 0 && { fraction: Math.min(1, (completed ?? 0) / total) }),
          });
        }
      }),
  };
}

function chatOptions({ temperature, maxTokens, contextTokens }: ChatRequest) {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { num_predict: maxTokens }),
    ...(contextTokens !== undefined && { num_ctx: contextTokens }),
  };
}

function toMessage(message: ChatMessage): Message {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    case "assistant":
      return {
        role: "assistant",
        content: message.content,
        ...(message.toolCalls && {
          tool_calls: message.toolCalls.map(({ name, args }) => ({ function: { name, arguments: args } })),
        }),
      };
    case "tool":
      return { role: "tool", content: message.content, tool_name: message.name };
    default:
      return message satisfies never;
  }
}

async function* readChat(stream: AsyncIterable<unknown>, subject: CallSubject): AsyncGenerator<ChatPart> {
  let hasText = false;
  let calls = 0;
  for await (const raw of stream) {
    const parsed = OllamaChatPart.safeParse(raw);
    if (!parsed.success) throw createModelError("malformed", subject, { cause: parsed.error });
    const { message, ...end } = parsed.data;
    if (message?.thinking) yield { type: "thinking", text: message.thinking };
    if (message?.content) {
      hasText = true;
      yield { type: "text", text: message.content };
    }
    for (const {
      function: { name, arguments: args },
    } of message?.tool_calls ?? []) {
      calls += 1;
      const isCutOff = end.done_reason === "length";
      yield { type: "tool-call", call: readToolCall({ id: `call-${calls}`, name, args }, isCutOff) };
    }
    if (end.done) {
      if (!hasText && calls === 0 && end.done_reason !== "length") throw createModelError("empty", subject);
      yield { type: "done", finish: finishOf(end.done_reason, calls), usage: usageOf(end) };
    }
  }
}

function finishOf(reason: string | undefined, calls: number) {
  if (reason === "length") return "length";
  return calls > 0 ? "tool-calls" : "stop";
}

/** Converts Ollama's usage. Its durations are in nanoseconds. */
function usageOf({ prompt_eval_count, eval_count, eval_duration }: OllamaChatPart) {
  return {
    promptTokens: prompt_eval_count,
    completionTokens: eval_count,
    generationMs: eval_duration === undefined ? undefined : eval_duration / 1e6,
  };
}

const abilities = new Map([
  ["completion", "chat"],
  ["tools", "tools"],
  ["thinking", "thinking"],
  ["vision", "vision"],
  ["embedding", "embedding"],
]);

function toModelInfo(name: string, { details, model_info, capabilities }: OllamaShow): ModelInfo {
  const context = Object.entries(model_info ?? {}).find(([key]) => key.endsWith(".context_length"))?.[1];
  return ModelInfo.parse({
    name,
    family: details?.family,
    parameterSize: details?.parameter_size,
    ...(typeof context === "number" && { contextTokens: context }),
    ...(capabilities && { abilities: capabilities.flatMap((ability) => abilities.get(ability) ?? []) }),
  });
}

const Line = z.looseObject({
  error: z.string().optional(),
  done: z.boolean().optional(),
  status: z.string().optional(),
});

/**
 * Creates a `fetch` for one call to Ollama with the call's time limits. It detects every protocol error before the
 * client reads the response, because the client skips broken lines and reports all other errors alike.
 */
function guardedFetch(subject: CallSubject, call: CallTimer): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ? AbortSignal.any([call.signal, init.signal]) : call.signal;
    const response = await fetch(input, { ...init, signal });
    call.received();
    if (!response.ok) {
      const { status } = response;
      const body = Line.safeParse(parseJson(await response.text()));
      if (isMalformedCall(body.data?.error)) throw createModelError("malformed-call", subject, { status });
      throw createModelError(statusFailure(status, subject.model !== undefined), subject, {
        status,
        retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
      });
    }
    rejectWebPage(response, subject);
    const isStream = response.headers.get("content-type")?.includes("ndjson") ?? false;
    if (!response.body || !isStream) return response;
    return new Response(response.body.pipeThrough(validateLines(subject, call)), {
      status: 200,
      headers: response.headers,
    });
  };
}

/** Ollama parses tool calls itself and reports invalid JSON only by this text. */
function isMalformedCall(error: string | undefined): boolean {
  return error?.startsWith("error parsing tool call") ?? false;
}

/** Passes newline-delimited JSON through unchanged and fails at the first invalid line. */
function validateLines(subject: CallSubject, call: CallTimer): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = "";
  let isComplete = false;
  const check = (line: string) => {
    if (line.trim() === "") return;
    const parsed = Line.safeParse(parseJson(line));
    if (!parsed.success) throw createModelError("malformed", subject);
    const { error } = parsed.data;
    if (error !== undefined)
      throw createModelError(isMalformedCall(error) ? "malformed-call" : "broke-off", subject);
    isComplete ||= parsed.data.done === true || parsed.data.status === "success";
  };
  return new TransformStream({
    transform(chunk, out) {
      call.received();
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) check(line);
      out.enqueue(chunk);
    },
    flush() {
      // An incomplete last line is a truncated answer, not a malformed one.
      if (!isComplete && parseJson(rest) !== undefined) check(rest);
      if (!isComplete) throw createModelError("truncated", subject);
    },
  });
}

/** The fields of Ollama's replies that are read here. */
const OllamaChatPart = z.looseObject({
  message: z
    .looseObject({
      content: z.string().default(""),
      thinking: z.string().optional(),
      tool_calls: z
        .array(
          z.looseObject({
            function: z.looseObject({
              name: z.string(),
              /** An object; some compatible servers send its JSON text. */
              arguments: z.unknown(),
            }),
          }),
        )
        .optional(),
    })
    .optional(),
  done: z.boolean().optional(),
  done_reason: z.string().optional(),
  prompt_eval_count: z.int().nonnegative().optional(),
  eval_count: z.int().nonnegative().optional(),
  eval_duration: z.number().nonnegative().optional(),
});
type OllamaChatPart = z.infer<typeof OllamaChatPart>;

/** The client reports a finished deletion itself. */
const OllamaDone = z.looseObject({ status: z.string() });

const OllamaList = z.looseObject({
  models: z.array(
    z.looseObject({
      name: z.string(),
      size: z.number().optional(),
      details: z
        .looseObject({ family: z.string().optional(), parameter_size: z.string().optional() })
        .optional(),
    }),
  ),
});

const OllamaShow = z.looseObject({
  details: z.looseObject({ family: z.string().optional(), parameter_size: z.string().optional() }).optional(),
  /** Keys are prefixed with the architecture: `qwen3.context_length`. */
  model_info: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.array(z.string()).optional(),
});
type OllamaShow = z.infer<typeof OllamaShow>;

const OllamaEmbeddings = z.looseObject({ embeddings: z.array(z.array(z.number()).min(1)) });

const OllamaPull = z.looseObject({
  status: z.string(),
  total: z.number().optional(),
  completed: z.number().optional(),
});
