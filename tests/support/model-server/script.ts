import type { IncomingMessage, ServerResponse } from "node:http";

/** A request to the server, in terms that both protocols share. */
export interface SeenRequest {
  protocol: "ollama" | "openai";
  path: string;
  model: string;
  messages: { role: string; content: string }[];
  /** The JSON Schema for the reply. */
  format: unknown;
  tools: string[];
  stream: boolean;
  /** The complete body, for fields of one protocol. */
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** Whether the client disconnected before the reply was complete. */
  aborted: boolean;
}

interface Ending {
  tokens?: { prompt: number; completion: number };
  /** `length`: the reply reached its token limit. */
  finish?: "length";
}

/** The scripted reply to one chat request. */
export type ChatScript =
  | ({
      say: string;
      thinking?: string;
      /** The number of pieces to stream; default: 3. */
      pieces?: number;
      /** Pieces after the first are sent when this resolves. */
      gate?: Promise<void>;
    } & Ending)
  | ({ json: unknown; thinking?: string } & Ending)
  | ({
      /** `rawArgs`: the text of the arguments, for a protocol that sends text. */
      call: { name: string; args: Record<string, unknown>; rawArgs?: string }[];
      thinking?: string;
    } & Ending)
  /** `half`: the text before a fault midway; `retryAfter`: the header of a refusal. */
  | { fault: ChatFault; half?: string; retryAfter?: string };

export type ChatFault =
  /** 500 with an error body. */
  | "server-error"
  /** 404: no such model. */
  | "model-missing"
  | "key-refused"
  /** 429 */
  | "rate-limited"
  /** 500: the server could not read the tool call that its model wrote. */
  | "unreadable-call"
  /** The connection is reset before any answer. */
  | "reset"
  /** Some text, then the connection is reset. */
  | "reset-midway"
  /** Some text, then an error record under HTTP 200. */
  | "error-midway"
  /** Some text, then a clean end without the closing record. */
  | "truncated"
  /** A complete answer with no text. */
  | "empty"
  /** HTTP 200 with bytes that are not the protocol. */
  | "garbage"
  /** HTTP 200 with the web page of a proxy. */
  | "web-page"
  /** Headers never come. */
  | "silent"
  /** Some text, then nothing, with the connection open. */
  | "silent-midway";

export type Answer = (request: SeenRequest, index: number) => ChatScript | Promise<ChatScript>;

export interface ModelSpec {
  name: string;
  contextTokens?: number;
  abilities?: ("completion" | "tools" | "thinking" | "embedding")[];
  /** The number of dimensions of its embeddings. */
  dimensions?: number;
  /** The length of the vectors; default: 1. */
  vectorLength?: number;
}

/** Returns a deterministic vector for a text; similar texts have similar vectors. */
export function embedText(
  text: string,
  { dimensions = 768, vectorLength = 1 }: Pick<ModelSpec, "dimensions" | "vectorLength">,
): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261;
    for (const unit of word) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 16777619) >>> 0;
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => (value * vectorLength) / length);
}

/** Splits a text into about `count` pieces of equal length. */
export function inPieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}

/** One HTTP request to the server, for the route of its protocol. */
export interface Exchange {
  body: Record<string, unknown>;
  request: IncomingMessage;
  response: ServerResponse;
  models: ModelSpec[];
  /** Records the request and asks the script for a reply. */
  answer(seen: Omit<SeenRequest, "aborted" | "headers">): Promise<ChatScript>;
  note(seen: Omit<SeenRequest, "aborted" | "headers">): SeenRequest;
  nextPullStep(): Promise<void>;
  /** Resolves when embedding requests may be answered. */
  mayEmbed(): Promise<void>;
}
