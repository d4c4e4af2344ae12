import type { ServerResponse } from "node:http";
import { z } from "zod";
import {
  embedText,
  inPieces,
  type ChatFault,
  type ChatScript,
  type SeenRequest,
  type Exchange,
} from "./script.ts";

/** The body of an embedding request in both protocols. */
const EmbedBody = z.looseObject({ model: z.string(), input: z.union([z.string(), z.array(z.string())]) });

/** A script with a reply, as opposed to a fault. */
export type ReplyScript = Exclude<ChatScript, { fault: ChatFault }>;

/** The faults that are an HTTP status with a body. */
type Refusal = "server-error" | "model-missing" | "key-refused" | "rate-limited" | "unreadable-call";
const statuses = {
  "server-error": 500,
  "model-missing": 404,
  "key-refused": 401,
  "rate-limited": 429,
  "unreadable-call": 500,
} satisfies Record<Refusal, number>;

/** How a protocol reports errors on the wire; streams are the text that is sent. */
export interface Faults {
  contentType: string;
  refusals: Record<Refusal, unknown>;
  /** The beginning of a reply. */
  half: string;
  /** An error record within a stream. */
  error: string;
  /** A complete reply without text. */
  empty: string;
  garbage: string;
}

export function sendJson(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

/** Describes a request that is not a chat. */
export function describeOtherRequest(
  exchange: Exchange,
  {
    protocol,
    path,
    model,
    stream = false,
  }: Pick<SeenRequest, "protocol" | "path" | "model"> & { stream?: boolean },
) {
  exchange.note({
    protocol,
    path,
    model,
    messages: [],
    format: undefined,
    tools: [],
    stream,
    body: exchange.body,
  });
}

/**
 * Notes a request for embeddings and waits until it may be answered.
 * @returns a vector for each text, or the name of the model that is not there
 */
export async function embeddings(
  exchange: Exchange,
  seen: Pick<SeenRequest, "protocol" | "path">,
): Promise<{ model: string; vectors: number[][] | undefined }> {
  const { model, input } = EmbedBody.parse(exchange.body);
  describeOtherRequest(exchange, { ...seen, model });
  const spec = exchange.models.find(({ name }) => name === model || name === `${model}:latest`);
  if (!spec) return { model, vectors: undefined };
  await exchange.mayEmbed();
  const texts = typeof input === "string" ? [input] : input;
  return { model, vectors: texts.map((text) => embedText(text, spec)) };
}

/** Splits the text of a reply into the pieces to stream. */
export function textPieces(script: Exclude<ReplyScript, { call: unknown }>): string[] {
  return "json" in script
    ? inPieces(JSON.stringify(script.json), 3)
    : inPieces(script.say, script.pieces ?? 3);
}

/** Tokens of a chat: as scripted, or about one for every four characters asked. */
export function tokensOf(
  script: ReplyScript,
  messages: readonly { content?: string | null | undefined }[],
): { prompt: number; completion: number } {
  const characters = messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0);
  return script.tokens ?? { prompt: Math.ceil(characters / 4), completion: 20 };
}

/** Sends the fault of the script. */
export function playFault(
  { fault, retryAfter }: Extract<ChatScript, { fault: ChatFault }>,
  response: ServerResponse,
  faults: Faults,
) {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  const begin = (text: string) => {
    response.writeHead(200, { "content-type": faults.contentType });
    response.write(text);
  };
  switch (fault) {
    case "server-error":
    case "model-missing":
    case "key-refused":
    case "rate-limited":
    case "unreadable-call":
      sendJson(response, statuses[fault], faults.refusals[fault]);
      return;
    case "reset":
      response.destroy();
      return;
    case "reset-midway":
      begin(faults.half);
      setImmediate(() => response.destroy());
      return;
    case "error-midway":
      begin(faults.half);
      response.end(faults.error);
      return;
    case "truncated":
      begin(faults.half);
      response.end();
      return;
    case "empty":
      begin(faults.empty);
      response.end();
      return;
    case "garbage":
      begin(faults.garbage);
      response.end();
      return;
    case "web-page":
      response
        .writeHead(200, { "content-type": "text/html; charset=utf-8" })
        .end("<!doctype html><title>Sign in to the network</title>");
      return;
    case "silent":
      return;
    case "silent-midway":
      begin(faults.half);
      return;
    default:
      fault satisfies never;
  }
}
