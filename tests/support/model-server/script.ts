/** A request as it was seen on the wire, in terms that both protocols share. */
export interface SeenRequest {
  protocol: "ollama" | "openai";
  path: string;
  model: string;
  messages: { role: string; content: string }[];
  /** JSON Schema the reply was asked to fit. */
  format: unknown;
  tools: string[];
  stream: boolean;
  /** The whole body, for what only one protocol has. */
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** Set when the client left before the answer was complete. */
  aborted: boolean;
}

interface Ending {
  tokens?: { prompt: number; completion: number };
  /** `length`: the reply reached the cap on its tokens. */
  finish?: "length";
}

/** What the double does with one chat request. */
export type ChatScript =
  | ({
      say: string;
      thinking?: string;
      /** Pieces the text is streamed in; 3 when missing. */
      pieces?: number;
      /** Each piece after the first is sent when this resolves. */
      gate?: Promise<void>;
    } & Ending)
  | ({ json: unknown; thinking?: string } & Ending)
  | ({
      /** `rawArgs`: the arguments as the text that is sent, where the protocol sends text. */
      call: { name: string; args: Record<string, unknown>; rawArgs?: string }[];
      thinking?: string;
    } & Ending)
  /** `half`: the text before a fault midway. */
  | { fault: ChatFault; half?: string };

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
  /** Headers never come. */
  | "silent"
  /** Some text, then nothing, with the connection open. */
  | "silent-midway";

export type Answer = (request: SeenRequest, index: number) => ChatScript | Promise<ChatScript>;

export interface ModelSpec {
  name: string;
  contextTokens?: number;
  abilities?: ("completion" | "tools" | "thinking" | "embedding")[];
  /** How many numbers its embeddings have. */
  dimensions?: number;
  /** How long they are as vectors: 1 when missing, as servers usually give them. */
  vectorLength?: number;
}

/** A fixed vector for a text: the same text always gets the same one, like texts get like ones. */
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

/** A text in about `count` pieces of equal length. */
export function inPieces(text: string, count: number): string[] {
  const size = Math.max(1, Math.ceil(text.length / count));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
}
