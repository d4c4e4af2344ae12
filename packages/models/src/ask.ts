import type { ModelCallPurpose } from "@metahuman/core/contract/model-call";
import type { ModelRef, ModelRole } from "@metahuman/core/contract/models";
import { parseJson } from "@metahuman/core/contract/parse-json";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { z } from "zod";
import { ModelError } from "./model-error.ts";
import { addPart, emptyReply, type ChatMessage, type ChatReply, type ChatRequest } from "./provider.ts";
import type { ModelRouter } from "./router.ts";
import { createThinkingFilter } from "./thinking-filter.ts";

/** One call to a model: what was asked, what came back, what it cost. Recorded for usage, audit and the run inspector. */
export interface ModelCall {
  purpose: ModelCallPurpose;
  role: ModelRole;
  model: ModelRef;
  messages: readonly ChatMessage[];
  /** As the model gave it: text, tool calls as JSON, or both. */
  reply: string;
  promptTokens: number;
  completionTokens: number;
  /** Wall time, in milliseconds. */
  durationMs: number;
  error?: ErrorDetail;
}

export type AskRequest = Omit<ChatRequest, "model">;

export interface AskOptions {
  router: Pick<ModelRouter, "chat">;
  role: ModelRole;
  purpose: ModelCallPurpose;
  signal: AbortSignal;
  /** Called once for every call to a model as it ends, failed calls included. */
  onModelCall?: ((call: ModelCall) => void) | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /**
   * Text as it arrives, without thinking, with its offset in the reply. An offset of 0 after other text means that the
   * reply begins again: another model took over, or what came before was thinking.
   */
  onText?: ((text: string, offset: number) => void) | undefined;
}

/**
 * Asks the models of a role and returns the whole reply, its thinking kept apart from its text. After a fallback only the
 * last model's reply counts. Throws `ModelError`, `ModelUnavailableError` and the signal's reason.
 */
export async function ask(request: AskRequest, options: AskOptions): Promise<ChatReply> {
  const { router, role, signal, onWarning } = options;
  let call = startCall("none/none", request, options);
  try {
    for await (const part of router.chat(role, request, signal)) {
      if (part.type === "model") {
        if (part.after) {
          call.end(toErrorDetail(part.after));
          onWarning?.(`${part.after.message} Went on with ${part.ref}.`);
        }
        call = startCall(part.ref, request, options);
      } else call.add(part);
    }
    call.end();
    return call.reply;
  } catch (error) {
    call.end(toErrorDetail(error));
    throw error;
  }
}

/** One model's part in an answer: gathers its reply and reports the call when it ends. */
function startCall(model: ModelRef, { messages }: AskRequest, options: AskOptions) {
  const { purpose, role, onModelCall, onText } = options;
  const started = performance.now();
  const raw = emptyReply();
  const reply = emptyReply();
  const filter = createThinkingFilter({
    text(text) {
      onText?.(text, reply.text.length);
      reply.text += text;
    },
    thinking(text) {
      reply.thinking += text;
    },
    restart(markLength) {
      reply.thinking += reply.text.slice(0, -markLength);
      reply.text = "";
    },
  });
  return {
    reply,
    add(part: Parameters<typeof addPart>[1]): void {
      addPart(raw, part);
      if (part.type === "text") filter.write(part.text);
      else addPart(reply, part);
    },
    end(error?: ErrorDetail): void {
      filter.end();
      onModelCall?.({
        purpose,
        role,
        model,
        messages,
        reply: recorded(raw),
        promptTokens: raw.usage.promptTokens ?? 0,
        completionTokens: raw.usage.completionTokens ?? 0,
        durationMs: performance.now() - started,
        ...(error && { error }),
      });
    },
  };
}

/** Text that comes with tool calls is part of the reply. */
function recorded({ text, toolCalls }: ChatReply): string {
  if (toolCalls.length === 0) return text;
  const calls = JSON.stringify(toolCalls.map(({ name, args }) => ({ name, args })));
  return text.trim() === "" ? calls : `${text.trim()}\n${calls}`;
}

/** A call's figures for the audit log, without prompt and reply. */
export function callFigures({ purpose, role, model, promptTokens, completionTokens, ...call }: ModelCall) {
  const { durationMs, error } = call;
  return {
    purpose,
    role,
    model,
    promptTokens,
    completionTokens,
    ms: Math.round(durationMs),
    ...(error && { code: error.code }),
  };
}

/** A reply as the schema's value, or every reason why it is none, in words that the model can act on. */
export type JsonReading<Value> = { ok: true; value: Value } | { ok: false; problems: string[] };

export type JsonReply<Value> = JsonReading<Value> & {
  /** The last reply, as the model gave it. */
  reply: ChatReply;
};

export interface AskJsonOptions extends AskOptions {
  /** Whether an unusable reply is asked for once more, with its problems; true when absent. */
  retry?: boolean;
}

/**
 * Asks for a JSON object of a shape. `format`: the JSON Schema for the server, made from `shape` when absent. A reply that
 * does not fit is asked for once more with the exact problems. Throws as `ask` does, except for an empty reply, which is
 * one that does not fit.
 */
export async function askForJson<Shape extends z.ZodType>(
  shape: Shape,
  request: AskRequest,
  { retry = true, ...options }: AskJsonOptions,
): Promise<JsonReply<z.output<Shape>>> {
  const format = request.format ?? jsonSchemaOf(shape);
  const first = await askOrEmpty({ ...request, format }, options);
  const read = readJson(shape, first.text);
  if (read.ok || !retry) return { ...read, reply: first };
  const messages = [...request.messages, ...correction(first.text, read.problems)];
  const second = await askOrEmpty({ ...request, format, messages }, options);
  return { ...readJson(shape, second.text), reply: second };
}

async function askOrEmpty(request: AskRequest, options: AskOptions): Promise<ChatReply> {
  try {
    return await ask(request, options);
  } catch (error) {
    if (error instanceof ModelError && error.reason === "empty") return emptyReply();
    throw error;
  }
}

function jsonSchemaOf(shape: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
  return schema;
}

/** How much of an unusable reply is shown back to the model, in characters. */
const SHOWN_REPLY = 1_000;

function correction(reply: string, problems: readonly string[]): ChatMessage[] {
  return [
    { role: "assistant", content: reply.slice(0, SHOWN_REPLY).toWellFormed() || "(nothing)" },
    {
      role: "user",
      content: `That was not a valid reply:\n${problems.map((problem) => `- ${problem}`).join("\n")}\nReply again with one JSON object and nothing else.`,
    },
  ];
}

/**
 * Reads a reply as models really write it: bare JSON, JSON in a fence, after thinking, or with words around it. The first
 * whole JSON object outside of thinking counts.
 */
export function readJson<Shape extends z.ZodType>(shape: Shape, text: string): JsonReading<z.output<Shape>> {
  const json = firstJsonObject(text);
  if (json === undefined) return { ok: false, problems: ["The reply held no complete JSON object."] };
  const parsed = shape.safeParse(json);
  if (parsed.success) return { ok: true, value: parsed.data };
  return {
    ok: false,
    problems: parsed.error.issues.map(({ path, message }) =>
      path.length > 0 ? `${path.join(".")}: ${message}` : message,
    ),
  };
}

/** How many opening braces are tried: a reply that needs more is no reply, and each costs a pass over the text. */
const MAX_STARTS = 32;
/** Thinking in front of the first brace; thinking without an end hides the rest. A mark inside an object is content. */
const THINKING_BEFORE = /^([^{]*?)<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/iu;

function firstJsonObject(reply: string): unknown {
  const text = reply.replace(THINKING_BEFORE, "$1");
  let start = text.indexOf("{");
  for (let tries = 0; start !== -1 && tries < MAX_STARTS; tries += 1, start = text.indexOf("{", start + 1)) {
    const end = closingBrace(text, start);
    if (end === undefined) return undefined;
    const value = parseJson(text.slice(start, end + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Where the object that opens at `start` closes; braces inside of strings do not count. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return undefined;
}
