import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Exchange } from "./server.ts";
import { embedText, inPieces, type ChatFault, type ChatScript } from "./script.ts";

const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().nullish() })).default([]),
  stream: z.boolean().default(false),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: z.unknown() }).optional() })
    .optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
const EmbedBody = z.looseObject({ model: z.string(), input: z.union([z.string(), z.array(z.string())]) });

/** The OpenAI protocol: server-sent events, tool arguments as text in pieces. */
export async function openAiRoute(path: string, exchange: Exchange): Promise<boolean> {
  switch (path) {
    case "/v1/models":
      send(exchange.response, 200, {
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

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const refusal = (message: string, code: string) => ({
  error: { message, type: "invalid_request_error", code },
});

async function embed(path: string, exchange: Exchange) {
  const { model, input } = EmbedBody.parse(exchange.body);
  exchange.note({
    protocol: "openai",
    path,
    model,
    messages: [],
    format: undefined,
    tools: [],
    stream: false,
    body: exchange.body,
  });
  const spec = exchange.models.find(({ name }) => name === model);
  if (!spec) {
    send(exchange.response, 404, refusal(`The model ${model} does not exist`, "model_not_found"));
    return;
  }
  await exchange.mayEmbed();
  const texts = typeof input === "string" ? [input] : input;
  const data = texts.map((text, index) => ({
    object: "embedding",
    index,
    embedding: embedText(text, spec),
  }));
  send(exchange.response, 200, {
    object: "list",
    model,
    data,
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
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
    send(response, 404, refusal(`The model ${model} does not exist`, "model_not_found"));
    return;
  }
  if ("fault" in script) {
    playFault(script.fault, model, response);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas(script)) write(response, chunk(model, delta, null));
  write(response, chunk(model, {}, "call" in script ? "tool_calls" : "stop"));
  const prompt_tokens =
    script.tokens?.prompt ??
    Math.ceil(messages.reduce((sum, { content }) => sum + (content?.length ?? 0), 0) / 4);
  const completion_tokens = script.tokens?.completion ?? 20;
  write(response, {
    ...chunk(model, {}, null),
    choices: [],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  });
  response.end("data: [DONE]\n\n");
}

const write = (response: ServerResponse, data: unknown) =>
  response.write(`data: ${JSON.stringify(data)}\n\n`);

const chunk = (model: string, delta: unknown, finish_reason: string | null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 0,
  model,
  choices: [{ index: 0, delta, finish_reason }],
});

function deltas(script: Exclude<ChatScript, { fault: ChatFault }>): unknown[] {
  if ("call" in script) {
    return script.call.flatMap(({ name, args }, index) => [
      {
        tool_calls: [
          { index, id: `call_${String(index)}`, type: "function", function: { name, arguments: "" } },
        ],
      },
      ...inPieces(JSON.stringify(args), 2).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]);
  }
  const text = "json" in script ? JSON.stringify(script.json) : script.say;
  const pieces = inPieces(text, "say" in script ? (script.pieces ?? 3) : 3).map((content) => ({ content }));
  return script.thinking === undefined ? pieces : [{ reasoning_content: script.thinking }, ...pieces];
}

function playFault(fault: ChatFault, model: string, response: ServerResponse) {
  const begin = () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    write(response, chunk(model, { content: "Half of " }, null));
  };
  switch (fault) {
    case "server-error":
      send(response, 500, { error: { message: "internal error", type: "server_error" } });
      return;
    case "model-missing":
      send(response, 404, refusal(`The model ${model} does not exist`, "model_not_found"));
      return;
    case "key-refused":
      send(response, 401, refusal("Incorrect API key provided", "invalid_api_key"));
      return;
    case "rate-limited":
      send(response, 429, refusal("Too many requests", "rate_limit_exceeded"));
      return;
    case "reset":
      response.destroy();
      return;
    case "reset-midway":
      begin();
      setImmediate(() => response.destroy());
      return;
    case "error-midway":
      begin();
      write(response, { error: { message: "the model crashed", type: "server_error" } });
      response.end();
      return;
    case "truncated":
      begin();
      response.end();
      return;
    case "empty":
      response.writeHead(200, { "content-type": "text/event-stream" });
      write(response, chunk(model, {}, "stop"));
      response.end("data: [DONE]\n\n");
      return;
    case "garbage":
      response
        .writeHead(200, { "content-type": "text/event-stream" })
        .end("data: <html>not a model</html>\n\n");
      return;
    case "silent":
      return;
    case "silent-midway":
      begin();
      return;
    default:
      fault satisfies never;
  }
}
