import type { ModelCallPurpose, PromptSection } from "@metahuman/core/contract/model-call";
import { splitModelRef, type ModelRef, type ModelRole } from "@metahuman/core/contract/models";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { charactersFor, estimateTokens } from "@metahuman/core/contract/tokens";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { ModelError } from "./model-error.ts";
import {
  addPart,
  emptyReply,
  type ChatMessage,
  type ChatPart,
  type ChatReply,
  type ChatUsage,
} from "./provider.ts";
import type { ModelRouter, RoutedPart, RoutedRequest } from "./router.ts";
import { createThinkingFilter } from "./thinking-filter.ts";

/** One call to a model: what was asked, what came back, what it cost. Recorded for usage, audit and the run inspector. */
export interface ModelCall {
  purpose: ModelCallPurpose;
  role: ModelRole;
  model: ModelRef;
  messages: readonly ChatMessage[];
  /** What the parts of the prompt cost, where whoever asked knows them. */
  sections?: PromptSection[];
  /** As the model gave it: text, tool calls as JSON, or both. */
  reply: string;
  promptTokens: number;
  completionTokens: number;
  /** Wall time, in milliseconds. */
  durationMs: number;
  error?: ErrorDetail;
}

export type AskRequest = RoutedRequest;

export interface AskOptions {
  router: Pick<ModelRouter, "chat">;
  role: ModelRole;
  purpose: ModelCallPurpose;
  signal: AbortSignal;
  /** Called once for every call to a model as it ends, failed calls included. */
  onModelCall?: ((call: ModelCall) => void) | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /**
   * Text as it arrives, without thinking, with its offset in the reply. An offset before the end of what came so far
   * means that the reply begins again there: another model took over, or what came before was thinking.
   */
  onText?: ((text: string, offset: number) => void) | undefined;
}

export interface Reply extends ChatReply {
  /** The tokens at which the reply was cut off; undefined when it is complete. */
  cutOffAt: number | undefined;
}

/** How often a text that was cut off is continued. */
const MOST_CONTINUATIONS = 8;

/**
 * Asks the models of a role and returns the whole reply, its thinking kept apart from its text. After a fallback only the
 * last model's reply counts. A text that reaches the model's limit is continued; one that reaches the request's own
 * `maxTokens` is not. Throws `ModelError`, `ModelUnavailableError` and the signal's reason.
 */
export async function ask(request: AskRequest, options: AskOptions): Promise<Reply> {
  const reply = await withText(request, options);
  const endsWhereAsked = request.format !== undefined || request.maxTokens !== undefined;
  if (endsWhereAsked || !isText(reply, request.tools !== undefined)) return reply;
  return continued(reply, request, options);
}

/** The reply of one call; asked again without thinking where thinking took all of it. */
async function withText(request: AskRequest, options: AskOptions): Promise<Called> {
  const reply = await callModel(request, options);
  const { cutOffAt, text, toolCalls, thinking } = reply;
  const isSpent = cutOffAt !== undefined && text === "" && toolCalls.length === 0 && thinking !== "";
  if (!isSpent) return reply;
  const { maxTokens: _spent, ...uncapped } = request;
  const again = await callModel({ ...uncapped, think: "off" }, options);
  if (again.text !== "" || again.toolCalls.length > 0) return again;
  throw new ModelError("empty", `The model ${again.model} spent its whole reply on thinking.`, {
    ...providerOf(again.model),
    suggestions: ["Set models.think to off in etc/operator.json, or choose another model."],
  });
}

function providerOf(ref: ModelRef): { provider: string; model?: string } {
  return ref.includes("/") ? splitModelRef(ref) : { provider: ref };
}

/** A tool call that the server could not read, because it was cut off, comes as text. */
const CALL_AS_TEXT = /^(?:\{|\[\{|<tool_call)/u;

/** Whether a reply is words for a person, and not a call or the beginning of one. */
export function isText({ text, toolCalls }: ChatReply, hasTools: boolean): boolean {
  return text !== "" && toolCalls.length === 0 && !(hasTools && CALL_AS_TEXT.test(text));
}

/** Asks for the rest of a text that was cut off, until it is complete or nothing more comes. */
async function continued(
  first: Called,
  { tools: _tools, ...request }: AskRequest,
  options: AskOptions,
): Promise<Reply> {
  let whole = first;
  for (let count = 0; whole.cutOffAt !== undefined && count < MOST_CONTINUATIONS; count += 1) {
    const messages = [...request.messages, ...continuation(whole)];
    let next: Called;
    try {
      next = await callModel({ ...request, messages }, options, whole.text);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      options.onWarning?.(`${error.message} The answer ends where it was cut off.`);
      return whole;
    }
    if (next.text.length === whole.text.length) return { ...whole, cutOffAt: next.cutOffAt };
    whole = { ...next, thinking: whole.thinking + next.thinking, usage: sumOf(whole.usage, next.usage) };
  }
  if (whole.cutOffAt !== undefined)
    options.onWarning?.("The answer was cut off: it reached the model's limit.");
  return whole;
}

/** What is shown of the text so far takes at most a quarter of the context: the rest needs room. */
function continuation({ text, contextTokens }: Called): ChatMessage[] {
  const end = text.slice(-charactersFor(Math.floor(contextTokens / 4))).toWellFormed();
  return [
    { role: "assistant", content: end },
    {
      role: "user",
      content:
        "Your reply was cut off there. Continue it at exactly that place: repeat nothing, and do not comment on it.",
    },
  ];
}

function sumOf(one: ChatUsage, other: ChatUsage): ChatUsage {
  const add = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return {
    promptTokens: add(one.promptTokens, other.promptTokens),
    completionTokens: add(one.completionTokens, other.completionTokens),
    generationMs: add(one.generationMs, other.generationMs),
  };
}

interface Called extends Reply {
  model: ModelRef;
  contextTokens: number;
}

/** One request to the models of a role. `before`: the text that this reply continues; it is part of the reply's. */
async function callModel(request: AskRequest, options: AskOptions, before = ""): Promise<Called> {
  const { router, role, signal, onWarning } = options;
  let call = startCall(
    { ref: "none/none", maxTokens: undefined, contextTokens: 0 },
    request,
    options,
    before,
  );
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  try {
    for await (const part of router.chat(role, request, either)) {
      if (part.type === "model") {
        if (part.after) {
          call.end(toErrorDetail(part.after));
          onWarning?.(`${part.after.message} Went on with ${part.ref}.`);
        }
        call = startCall(part, request, options, before);
      } else call.add(part);
      if (request.format && call.isStuck()) {
        stop.abort();
        break;
      }
    }
    return call.end();
  } catch (error) {
    call.end(toErrorDetail(error));
    throw error;
  }
}

/** More of it in a row, in characters, is no layout of a JSON object. */
const MOST_WHITE_SPACE = 500;

/** One model's part in an answer: gathers its reply and reports the call when it ends. */
function startCall(
  { ref: model, maxTokens, contextTokens }: Pick<Answering, "ref" | "maxTokens" | "contextTokens">,
  { messages }: AskRequest,
  { purpose, role, onModelCall, onText }: AskOptions,
  before: string,
) {
  const started = performance.now();
  const raw = emptyReply();
  const reply = { ...emptyReply(), text: before };
  const seam = createSeam(before, (text) => {
    onText?.(text, reply.text.length);
    reply.text += text;
  });
  const filter = createThinkingFilter({
    text: seam.write,
    thinking(text) {
      reply.thinking += text;
    },
    restart(markLength) {
      reply.thinking += reply.text.slice(before.length, -markLength);
      reply.text = before;
    },
  });
  return {
    add(part: ChatPart): void {
      addPart(raw, part);
      if (part.type === "text") filter.write(part.text);
      else addPart(reply, part);
    },
    /** A model that is held to a schema can fall into writing white space, which every schema allows, without end. */
    isStuck: () => raw.text.length >= MOST_WHITE_SPACE && raw.text.slice(-MOST_WHITE_SPACE).trim() === "",
    end(error?: ErrorDetail): Called {
      filter.end();
      seam.end();
      const { promptTokens = 0, completionTokens = 0 } = raw.usage;
      onModelCall?.({
        purpose,
        role,
        model,
        messages,
        reply: recorded(raw),
        promptTokens,
        completionTokens,
        durationMs: performance.now() - started,
        ...(error && { error }),
      });
      const isCutOff = raw.finish === "length" || (maxTokens !== undefined && completionTokens >= maxTokens);
      const tokens = completionTokens > 0 ? completionTokens : estimateTokens(raw.text);
      return { ...reply, model, contextTokens, cutOffAt: isCutOff ? tokens : undefined };
    },
  };
}

type Answering = Extract<RoutedPart, { type: "model" }>;

/** How much of a continuation is looked at for a repetition of the text before it, in characters. */
const SEAM_LENGTH = 200;
/** What is alike by chance is shorter, in characters. */
const LEAST_REPETITION = 8;

/** Joins a continuation to the text before it: models like to repeat the last words. Holds back only the first of it. */
function createSeam(before: string, pass: (text: string) => void) {
  let held: string | undefined = before === "" ? undefined : "";
  const end = () => {
    if (held === undefined) return;
    let repeated = Math.min(held.length, before.length);
    while (repeated >= LEAST_REPETITION && !before.endsWith(held.slice(0, repeated))) repeated -= 1;
    const rest = repeated >= LEAST_REPETITION ? held.slice(repeated) : held;
    held = undefined;
    if (rest !== "") pass(rest);
  };
  return {
    write(text: string): void {
      if (held === undefined) {
        pass(text);
        return;
      }
      held += text;
      if (held.length >= SEAM_LENGTH) end();
    },
    end,
  };
}

/** Text that comes with tool calls is part of the reply. */
function recorded({ text, toolCalls }: ChatReply): string {
  if (toolCalls.length === 0) return text;
  const calls = JSON.stringify(toolCalls.map(({ name, args, problem }) => ({ name, args, problem })));
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
