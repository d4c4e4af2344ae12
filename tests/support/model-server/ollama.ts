import { z } from "zod";
import {
  embeddings,
  playFault,
  describeOtherRequest,
  sendJson,
  textPieces,
  tokensOf,
  type Faults,
  type ReplyScript,
} from "./replies.ts";
import type { ModelSpec, Exchange } from "./script.ts";

const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string().default("") })).default([]),
  stream: z.boolean().default(true),
  format: z.unknown().optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).default([]),
});
const NameBody = z.looseObject({ model: z.string().optional(), name: z.string().optional() });

/** Ollama's HTTP protocol: newline-delimited JSON, durations in nanoseconds. */
export async function ollamaRoute(path: string, exchange: Exchange): Promise<boolean> {
  switch (path) {
    case "/":
      exchange.response.end("Ollama is running");
      return true;
    case "/api/version":
      sendJson(exchange.response, 200, { version: "0.99.0" });
      return true;
    case "/api/tags":
      sendJson(exchange.response, 200, { models: exchange.models.map(listed) });
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
    case "/api/delete":
      remove(path, exchange);
      return true;
    case "/api/pull":
      await pull(path, exchange);
      return true;
    default:
      return false;
  }
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
    sendJson(exchange.response, 404, missing(model ?? name ?? ""));
    return;
  }
  sendJson(exchange.response, 200, {
    details: listed(spec).details,
    model_info: { "general.architecture": "test", "test.context_length": spec.contextTokens ?? 8_192 },
    capabilities: spec.abilities ?? ["completion"],
  });
}

async function embed(path: string, exchange: Exchange) {
  const { model, vectors } = await embeddings(exchange, { protocol: "ollama", path });
  if (!vectors) {
    sendJson(exchange.response, 404, missing(model));
    return;
  }
  sendJson(exchange.response, 200, {
    model,
    embeddings: vectors,
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: vectors.length,
  });
}

function remove(path: string, exchange: Exchange): void {
  const { model, name } = NameBody.parse(exchange.body);
  const wanted = model ?? name ?? "";
  describeOtherRequest(exchange, { protocol: "ollama", path, model: wanted, stream: false });
  const found = find(exchange, wanted);
  if (!found) return sendJson(exchange.response, 404, missing(wanted));
  exchange.models.splice(exchange.models.indexOf(found), 1);
  exchange.response.writeHead(200).end();
}

async function pull(path: string, exchange: Exchange) {
  const { model, name } = NameBody.parse(exchange.body);
  const wanted = model ?? name ?? "";
  describeOtherRequest(exchange, { protocol: "ollama", path, model: wanted, stream: true });
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
    sendJson(response, 404, missing(model));
    return;
  }
  if ("fault" in script) {
    playFault(script, response, faults(model, script.half));
    return;
  }
  const parts = messageParts(script);
  const end = {
    model,
    created_at: "2026-01-01T00:00:00Z",
    done: true,
    done_reason: script.finish ?? "stop",
    ...counts(script, messages),
  };
  if (!stream) {
    const message = parts.reduce(
      (whole, part) => ({ ...whole, ...part, content: whole.content + part.content }),
      { role: "assistant", content: "" },
    );
    sendJson(response, 200, { ...end, message });
    return;
  }
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (const [index, message] of parts.entries()) {
    if (index > 0 && "say" in script) await script.gate;
    response.write(
      `${JSON.stringify({ model, created_at: "2026-01-01T00:00:00Z", message, done: false })}\n`,
    );
  }
  response.end(`${JSON.stringify({ ...end, message: { role: "assistant", content: "" } })}\n`);
}

function messageParts(
  script: ReplyScript,
): { role: string; content: string; thinking?: string; tool_calls?: unknown }[] {
  if ("call" in script) {
    return [
      {
        role: "assistant",
        content: "",
        ...(script.thinking !== undefined && { thinking: script.thinking }),
        tool_calls: script.call.map(({ name, args }) => ({ function: { name, arguments: args } })),
      },
    ];
  }
  const pieces = textPieces(script).map((content) => ({ role: "assistant", content }));
  return script.thinking === undefined
    ? pieces
    : [{ role: "assistant", content: "", thinking: script.thinking }, ...pieces];
}

function counts(script: ReplyScript, messages: readonly { content: string }[]) {
  const { prompt, completion } = tokensOf(script, messages);
  return {
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: prompt,
    prompt_eval_duration: 1_000_000,
    eval_count: completion,
    eval_duration: 2_000_000,
  };
}

function faults(model: string, half = "Half of "): Faults {
  const line = (record: object) => `${JSON.stringify(record)}\n`;
  const message = (content: string) => ({ role: "assistant", content });
  return {
    contentType: "application/x-ndjson",
    refusals: {
      "server-error": { error: "llama runner process has terminated" },
      "model-missing": missing(model),
      "key-refused": { error: "unauthorized" },
      "rate-limited": { error: "too many requests" },
      "unreadable-call": {
        error: `error parsing tool call: raw='{"path": a.md}', err=invalid character 'a' looking for beginning of value`,
      },
    },
    half: line({ model, created_at: "2026-01-01T00:00:00Z", message: message(half), done: false }),
    error: line({ error: "an error was encountered while running the model" }),
    empty: line({
      ...{ model, message: message(""), done: true, done_reason: "stop" },
      ...{ prompt_eval_count: 1, eval_count: 0 },
    }),
    garbage: "<html>not a model</html>\n",
  };
}
