import type { ServerResponse } from "node:http";
import { z } from "zod";
import {
  embeddings,
  playFault,
  sendJson,
  textPieces,
  tokensOf,
  type Faults,
  type ReplyScript,
} from "./replies.ts";
import { inPieces, type Exchange } from "./script.ts";

const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullish() })).default([]),
  stream: z.boolean().default(false),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: z.unknown() }).optional() })
    .optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});

/** The OpenAI protocol: server-sent events, tool arguments as text in pieces. */
export async function openAiRoute(path: string, exchange: Exchange): Promise<boolean> {
  switch (path) {
    case "/v1/models":
      sendJson(exchange.response, 200, {
        object: "list",
        data: exchange.models.map(({ name }) => ({
          id: name,
          object: "model",
          created: 0,
          owned_by: "double",
        })),
      });
      return true;
    case "/v1/embeddings":
      await embed(path, exchange);
      return true;
    case "/v1/chat/completions":
      await chat(path, exchange);
      return true;
    default:
      return false;
  }
}

const refusal = (message: string, code: string) => ({
  error: { message, type: "invalid_request_error", code },
});

const missing = (model: string) => refusal(`The model ${model} does not exist`, "model_not_found");

async function embed(path: string, exchange: Exchange) {
  const { model, vectors } = await embeddings(exchange, { protocol: "openai", path });
  if (!vectors) {
    sendJson(exchange.response, 404, missing(model));
    return;
  }
  sendJson(exchange.response, 200, {
    object: "list",
    model,
    data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    usage: { prompt_tokens: vectors.length, total_tokens: vectors.length },
  });
}

async function chat(path: string, exchange: Exchange) {
  const { model, messages, stream, response_format, tools } = ChatBody.parse(exchange.body);
  const { response } = exchange;
  const script = await exchange.answer({
    protocol: "openai",
    path,
    model,
    messages: messages.map(({ role, content }) => ({ role, content: content ?? "" })),
    format: response_format?.json_schema?.schema,
    tools: tools.map((tool) => tool.function.name),
    stream,
    body: exchange.body,
  });
  if (!exchange.models.some(({ name }) => name === model)) {
    sendJson(response, 404, missing(model));
    return;
  }
  if ("fault" in script) {
    playFault(script, response, faults(model, script.half));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, delta] of deltas(script).entries()) {
    if (index > 0 && "say" in script) await script.gate;
    write(response, chunk(model, delta, null));
  }
  write(response, chunk(model, {}, script.finish ?? ("call" in script ? "tool_calls" : "stop")));
  const { prompt, completion } = tokensOf(script, messages);
  write(response, {
    ...chunk(model, {}, null),
    choices: [],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  });
  response.end(DONE);
}

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;
const write = (response: ServerResponse, data: unknown) => response.write(event(data));
const DONE = "data: [DONE]\n\n";

const chunk = (model: string, delta: unknown, finish_reason: string | null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 0,
  model,
  choices: [{ index: 0, delta, finish_reason }],
});

function deltas(script: ReplyScript): unknown[] {
  if ("call" in script) {
    const calls = script.call.flatMap(({ name, args, rawArgs }, index) => [
      {
        tool_calls: [
          { index, id: `call_${String(index)}`, type: "function", function: { name, arguments: "" } },
        ],
      },
      ...inPieces(rawArgs ?? JSON.stringify(args), 2).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]);
    return script.thinking === undefined ? calls : [{ reasoning_content: script.thinking }, ...calls];
  }
  const pieces = textPieces(script).map((content) => ({ content }));
  return script.thinking === undefined ? pieces : [{ reasoning_content: script.thinking }, ...pieces];
}

function faults(model: string, half = "Half of "): Faults {
  return {
    contentType: "text/event-stream",
    refusals: {
      "server-error": { error: { message: "internal error", type: "server_error" } },
      "model-missing": missing(model),
      "key-refused": refusal("Incorrect API key provided", "invalid_api_key"),
      "rate-limited": refusal("Too many requests", "rate_limit_exceeded"),
      "unreadable-call": { error: { message: "the tool call is not JSON", type: "server_error" } },
    },
    half: event(chunk(model, { content: half }, null)),
    error: event({ error: { message: "the model crashed", type: "server_error" } }),
    empty: `${event(chunk(model, {}, "stop"))}${DONE}`,
    garbage: "data: <html>not a model</html>\n\n",
  };
}
