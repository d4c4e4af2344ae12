import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Exchange } from "./server.ts";
import { embedText, inPieces, type ChatFault, type ChatScript, type ModelSpec } from "./script.ts";

const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().default("") })).default([]),
  stream: z.boolean().default(true),
  format: z.unknown().optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
const EmbedBody = z.looseObject({ model: z.string(), input: z.union([z.string(), z.array(z.string())]) });
const NameBody = z.looseObject({ model: z.string().optional(), name: z.string().optional() });

/** Ollama's HTTP protocol: newline-delimited JSON, durations in nanoseconds. */
export async function ollamaRoute(path: string, exchange: Exchange): Promise<boolean> {
  switch (path) {
    case "/":
      exchange.response.end("Ollama is running");
      return true;
    case "/api/version":
      send(exchange.response, 200, { version: "0.99.0" });
      return true;
    case "/api/tags":
      send(exchange.response, 200, { models: exchange.models.map(listed) });
      return true;
    case "/api/show":
      show(exchange);
      return true;
    case "/api/chat":
      await chat(path, exchange);
      return true;
    case "/api/embed":
      await embed(path, exchange);
      return true;
    case "/api/pull":
      await pull(path, exchange);
      return true;
    default:
      return false;
  }
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}

function find(exchange: Exchange, name: string): ModelSpec | undefined {
  return exchange.models.find((model) => model.name === name || model.name === `${name}:latest`);
}

const missing = (name: string) => ({ error: `model '${name}' not found` });

const listed = (model: ModelSpec) => ({
  name: model.name,
  model: model.name,
  modified_at: "2026-01-01T00:00:00Z",
  size: 2_000_000_000,
  digest: "0".repeat(64),
  details: {
    parent_model: "",
    format: "gguf",
    family: "test",
    families: ["test"],
    parameter_size: "4.0B",
    quantization_level: "Q4_K_M",
  },
});

function show(exchange: Exchange) {
  const { model, name } = NameBody.parse(exchange.body);
  const spec = find(exchange, model ?? name ?? "");
  if (!spec) {
    send(exchange.response, 404, missing(model ?? name ?? ""));
    return;
  }
  send(exchange.response, 200, {
    details: listed(spec).details,
    model_info: { "general.architecture": "test", "test.context_length": spec.contextTokens ?? 8_192 },
    capabilities: spec.abilities ?? ["completion"],
  });
}

async function embed(path: string, exchange: Exchange) {
  const { model, input } = EmbedBody.parse(exchange.body);
  exchange.note({
    protocol: "ollama",
    path,
    model,
    messages: [],
    format: undefined,
    tools: [],
    stream: false,
    body: exchange.body,
  });
  const spec = find(exchange, model);
  if (!spec) {
    send(exchange.response, 404, missing(model));
    return;
  }
  await exchange.mayEmbed();
  const texts = typeof input === "string" ? [input] : input;
  send(exchange.response, 200, {
    model,
    embeddings: texts.map((text) => embedText(text, spec)),
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: texts.length,
  });
}

async function pull(path: string, exchange: Exchange) {
  const { model, name } = NameBody.parse(exchange.body);
  const wanted = model ?? name ?? "";
  exchange.note({
    protocol: "ollama",
    path,
    model: wanted,
    messages: [],
    format: undefined,
    tools: [],
    stream: true,
    body: exchange.body,
  });
  const { response } = exchange;
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  const write = (part: unknown) => response.write(`${JSON.stringify(part)}\n`);
  if (wanted.startsWith("missing")) {
    write({ status: "pulling manifest" });
    response.end(`${JSON.stringify({ error: "pull model manifest: file does not exist" })}\n`);
    return;
  }
  write({ status: "pulling manifest" });
  for (const completed of [0, 250, 500, 750, 1_000]) {
    await exchange.nextPullStep();
    if (response.destroyed) return;
    write({ status: "pulling 0123456789ab", digest: "sha256:0123456789ab", total: 1_000, completed });
  }
  exchange.models.push({ name: wanted, contextTokens: 8_192, abilities: ["completion"] });
  write({ status: "verifying sha256 digest" });
  response.end(`${JSON.stringify({ status: "success" })}\n`);
}

async function chat(path: string, exchange: Exchange) {
  const { model, messages, stream, format, tools } = ChatBody.parse(exchange.body);
  const { response } = exchange;
  const script = await exchange.answer({
    protocol: "ollama",
    path,
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    format,
    tools: tools.map((tool) => tool.function.name),
    stream,
    body: exchange.body,
  });
  if (!find(exchange, model)) {
    send(response, 404, missing(model));
    return;
  }
  if ("fault" in script) {
    playFault(script.fault, model, response);
    return;
  }
  const parts = messageParts(script);
  const end = {
    model,
    created_at: "2026-01-01T00:00:00Z",
    done: true,
    done_reason: "stop",
    ...counts(script, messages),
  };
  if (!stream) {
    const message = parts.reduce(
      (whole, part) => ({ ...whole, ...part, content: whole.content + part.content }),
      { role: "assistant", content: "" },
    );
    send(response, 200, { ...end, message });
    return;
  }
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const message of parts)
    response.write(
      `${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", message, done: false })}\n`,
    );
  response.end(`${JSON.stringify({ ...end, message: { role: "assistant", content: "" } })}\n`);
}

type Spoken = Exclude<ChatScript, { fault: ChatFault }>;

function messageParts(
  script: Spoken,
): { role: string; content: string; thinking?: string; tool_calls?: unknown }[] {
  if ("call" in script) {
    return [
      {
        role: "assistant",
        content: "",
        tool_calls: script.call.map(({ name, args }) => ({ function: { name, arguments: args } })),
      },
    ];
  }
  const text = "json" in script ? JSON.stringify(script.json) : script.say;
  const pieces = inPieces(text, "say" in script ? (script.pieces ?? 3) : 3).map((content) => ({
    role: "assistant",
    content,
  }));
  return script.thinking === undefined
    ? pieces
    : [{ role: "assistant", content: "", thinking: script.thinking }, ...pieces];
}

function counts(script: Spoken, messages: readonly { content: string }[]) {
  const prompt =
    script.tokens?.prompt ?? Math.ceil(messages.reduce((sum, { content }) => sum + content.length, 0) / 4);
  return {
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: prompt,
    prompt_eval_duration: 1_000_000,
    eval_count: script.tokens?.completion ?? 20,
    eval_duration: 2_000_000,
  };
}

function playFault(fault: ChatFault, model: string, response: ServerResponse) {
  const part = `${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", message: { role: "assistant", content: "Half of " }, done: false })}\n`;
  const begin = () => {
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    response.write(part);
  };
  switch (fault) {
    case "server-error":
      send(response, 500, { error: "llama runner process has terminated" });
      return;
    case "model-missing":
      send(response, 404, missing(model));
      return;
    case "key-refused":
      send(response, 401, { error: "unauthorized" });
      return;
    case "rate-limited":
      send(response, 429, { error: "too many requests" });
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
      response.end(`${JSON.stringify({ error: "an error was encountered while running the model" })}\n`);
      return;
    case "truncated":
      response.writeHead(200, { "content-type": "application/x-ndjson" }).end(part);
      return;
    case "empty":
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(
        `${JSON.stringify({ model, message: { role: "assistant", content: "" }, done: true, done_reason: "stop", prompt_eval_count: 1, eval_count: 0 })}\n`,
      );
      return;
    case "garbage":
      response.writeHead(200, { "content-type": "application/x-ndjson" }).end("<html>not a model</html>\n");
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
