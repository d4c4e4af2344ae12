import { ModelName, type ModelInfo, type PullProgress } from "@metahuman/core/contract/models";
import { z } from "zod";

/** Whether a model can be named in the configuration: one with a gap in its name cannot, and is not listed. */
export function isUsable(name: string): boolean {
  return ModelName.safeParse(name).success;
}

export interface ToolDeclaration {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface ToolCall {
  /** Ties the result to the call; made up where the protocol has none. */
  id: string;
  name: string;
  args: Record<string, unknown>;
  /** Set when the arguments that the model wrote cannot be read; `args` is then empty. */
  problem?: ToolCallProblem;
}

export interface ToolCallProblem {
  /** `cut-off`: the reply reached its cap within the arguments. `malformed`: they are no JSON object. */
  kind: "cut-off" | "malformed";
  /** What is wrong with them, e.g. the parser's message. */
  reason: string;
}

export type ChatMessage =
  | { role: "system" | "user"; content: string }
  | { role: "assistant"; content: string; toolCalls?: readonly ToolCall[] }
  | { role: "tool"; content: string; callId: string; name: string };

export interface ChatRequest {
  model: string;
  messages: readonly ChatMessage[];
  /** JSON Schema that the whole reply must fit; the server constrains its output where it can. */
  format?: Record<string, unknown>;
  tools?: readonly ToolDeclaration[];
  /** Ask a reasoning model to think, or not to; absent: the model's own habit. */
  think?: boolean;
  temperature?: number;
  maxTokens?: number;
  /** Tokens of context to reserve, where the server must be told (Ollama's `num_ctx`). */
  contextTokens?: number;
}

/** Tokens as the server counted them; `undefined` where it did not say. */
export interface ChatUsage {
  promptTokens: number | undefined;
  completionTokens: number | undefined;
  /** Time the model spent generating, in milliseconds, where the server says it. */
  generationMs: number | undefined;
}

export type ChatPart =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string }
  | { type: "tool-call"; call: ToolCall }
  /** `length`: the reply reached a cap, its own or the end of the context, and is not complete. */
  | { type: "done"; finish: "stop" | "length" | "tool-calls"; usage: ChatUsage };

/**
 * One model server. Every method takes a signal and ends with its reason when aborted; every other failure is a
 * `ModelError` whose `reason` says what went wrong. No call outlives its time limits.
 */
export interface ModelProvider {
  readonly id: string;
  readonly kind: "ollama" | "openai-compatible";
  /** Where it is, without credentials. */
  readonly address: string;
  /** Streams one reply; the last part is always `done`, otherwise it throws. */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
  /** One vector per text, in order, all of the same length. */
  embed(model: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  list(signal: AbortSignal): Promise<ModelInfo[]>;
  /** What the server knows of one model: context length, abilities. */
  show(model: string, signal: AbortSignal): Promise<ModelInfo>;
  /** Downloads a model onto the server; only where the protocol can. */
  pull?(model: string, signal: AbortSignal): AsyncIterable<PullProgress>;
}

/** Reads the arguments of a tool call as a server sent them: a JSON object, or the text of one. */
export function readToolCall(
  { id, name, args }: { id: string; name: string; args: unknown },
  isCutOff: boolean,
): ToolCall {
  const broken = (reason: string): ToolCall => ({
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
      return broken(error.message);
    }
  }
  const parsed = Arguments.safeParse(value);
  return parsed.success ? { id, name, args: parsed.data } : broken("the arguments are not an object");
}

const Arguments = z.record(z.string(), z.unknown());

/** A whole reply, gathered from its parts. */
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

/** Adds one part to the reply it belongs to. */
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

/** Gathers a streamed reply; `onText` sees each piece of text as it comes. */
export async function gatherReply(
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
