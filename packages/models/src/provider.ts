import { ModelName, type ModelInfo, type PullProgress } from "@metahuman/core/contract/models";
import { z } from "zod";

/** Whether the configuration can name a model. Names with spaces are invalid and are not listed. */
export function isValidModelName(name: string): boolean {
  return ModelName.safeParse(name).success;
}

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface ToolCall {
  /** Links the result to the call. Generated if the protocol has no ids. */
  id: string;
  name: string;
  args: Record<string, unknown>;
  /** Set if the arguments cannot be parsed. `args` is then empty. */
  problem?: ToolCallProblem;
}

export interface ToolCallProblem {
  /** `cut-off`: the reply reached its limit within the arguments. `malformed`: they are not a JSON object. */
  kind: "cut-off" | "malformed";
  /** The cause, e.g. the parser's message. */
  reason: string;
}

export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls?: readonly ToolCall[] }
  | { role: "tool"; content: string; callId: string; name: string };

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  /** The JSON Schema of the reply. The server constrains its output if it can. */
  format?: Record<string, unknown>;
  tools?: readonly ToolDeclaration[];
  /** Whether a reasoning model thinks; by default, the model decides. */
  think?: boolean;
  temperature?: number;
  maxTokens?: number;
  /** The context to reserve in tokens, for servers that need it (Ollama's `num_ctx`). */
  contextTokens?: number;
}

/** Tokens as the server counted them; `undefined` if it did not report them. */
export interface ChatUsage {
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  /** The generation time in milliseconds, if the server reports it. */
  generationMs: number | undefined;
}

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool-call"; call: ToolCall }
  /** `length`: the reply reached its limit or the end of the context and is incomplete. */
  | { type: "done"; finish: "stop" | "length" | "tool-calls"; usage: ChatUsage };

/**
 * A model server. Every method throws the signal's reason when aborted; every other failure is a
 * `ModelError` with a `reason`. Every call has time limits.
 */
export interface ModelProvider {
  readonly id: string;
  readonly kind: "ollama" | "openai-compatible";
  /** The server's address, without credentials. */
  readonly address: string;
  /** Streams one reply. The last part is `done`; otherwise the stream throws. */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
  /** Returns one vector per text, in order, all of the same length. */
  embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  list(signal: AbortSignal): Promise<ModelInfo[]>;
  /** Returns a model's context length and abilities. */
  show(model: string, signal: AbortSignal): Promise<ModelInfo>;
  /** Deletes a model from the server, if the protocol supports it. */
  remove?(model: string, signal: AbortSignal): Promise<void>;
  /** Downloads a model to the server, if the protocol supports it. */
  pull?(model: string, signal: AbortSignal): AsyncIterable<PullProgress>;
}

/** Parses the arguments of a tool call: a JSON object or its text. */
export function readToolCall(
  { id, name, args }: { id: string; name: string; args: unknown },
  isCutOff: boolean,
): ToolCall {
  const invalidToolCall = (reason: string): ToolCall => ({
    id,
    name,
    args: {},
    problem: { kind: isCutOff ? "cut-off" : "malformed", reason },
  });
  let value: unknown = args ?? {};
  if (typeof value === "string" && value.trim() === "") value = {};
  if (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return invalidToolCall(error.message);
    }
  }
  const parsed = Arguments.safeParse(value);
  return parsed.success
    ? { id, name, args: parsed.data }
    : invalidToolCall("the arguments are not an object");
}

const Arguments = z.record(z.string(), z.unknown());

/** A complete reply. */
export interface ChatReply {
  text: string;
  thinking: string;
  toolCalls: ToolCall[];
  finish: "stop" | "length" | "tool-calls";
  usage: ChatUsage;
}

export function emptyReply(): ChatReply {
  return {
    text: "",
    thinking: "",
    toolCalls: [],
    finish: "stop",
    usage: { promptTokens: undefined, completionTokens: undefined, generationMs: undefined },
  };
}

export function addPart(reply: ChatReply, part: ChatPart): void {
  switch (part.type) {
    case "text":
      reply.text += part.text;
      return;
    case "thinking":
      reply.thinking += part.text;
      return;
    case "tool-call":
      reply.toolCalls.push(part.call);
      return;
    case "done":
      reply.finish = part.finish;
      reply.usage = part.usage;
      return;
    default:
      part satisfies never;
  }
}

/** Collects a streamed reply. `onText` receives each piece of text as it arrives. */
export async function collectReply(
  parts: AsyncIterable<ChatPart>,
  onText?: (text: string) => void,
): Promise<ChatReply> {
  const reply = emptyReply();
  for await (const part of parts) {
    addPart(reply, part);
    if (part.type === "text") onText?.(part.text);
  }
  return reply;
}
