import type { ModelCallPurpose, PromptSection } from "@metahuman/core/contract/model-call";
import { splitModelRef, type ModelRef, type ModelRole } from "@metahuman/core/contract/models";
import type { ErrorDetail } from "@metahuman/core/contract/problem";
import { charactersFor, estimateTokens } from "@metahuman/core/contract/tokens";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { ModelError, TimeLimitExceeded } from "./model-error.ts";
import {
  addPart,
  emptyReply,
  type ChatMessage,
  type ChatPart,
  type ChatReply,
  type ChatUsage,
} from "./provider.ts";
import { type ModelRouter, type RoutedPart, type RoutedRequest, waitUnlessAborted } from "./router.ts";
import { createThinkingFilter } from "./thinking-filter.ts";

/** A recorded model call with its prompt, reply and cost, for usage, audit and the run inspector. */
export interface ModelCall {
  purpose: ModelCallPurpose;
  role: ModelRole;
  model: ModelRef;
  messages: readonly ChatMessage[];
  /** The cost of each section of the prompt, if the caller knows the sections. */
  sections?: PromptSection[];
  /** The reply without its thinking: text, tool calls as JSON, or both. */
  reply: string;
  /** The thinking before the reply. Absent if there was none. */
  thinking?: string;
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
  /** Called when a model call ends, including failed calls. */
  onModelCall?: ((call: ModelCall) => void) | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /**
   * Receives text without thinking as it arrives, with its offset in the reply. An offset before the end of the text so far
   * means that the reply restarts there: another model took over, or the earlier text was thinking.
   */
  onText?: ((text: string, offset: number) => void) | undefined;
}

export interface Reply extends ChatReply {
  /** The length in tokens at which the reply was cut off; undefined for a complete reply. */
  cutOffAfterTokens: number | undefined;
}

/** The maximum number of continuations of a truncated text. */
const MAX_CONTINUATIONS = 8;

/**
 * Asks the models of a role and returns the complete reply, with thinking and text separate. After a fallback, only the
 * last model's reply counts. A reply that breaks off before its end is asked for once more, and so is a reply that a server refuses for
 * a stated time of at most `MAX_WAIT_MS`, after that time. A text that reaches
 * the model's limit is continued; a text that reaches the request's `maxTokens` is not. Throws `ModelError`, `ModelUnavailableError` or the signal's reason.
 */
export async function ask(request: AskRequest, options: AskOptions): Promise<Reply> {
  const reply = await callWithThinkingRetry(request, options);
  const hasOwnLimit = request.format !== undefined || request.maxTokens !== undefined;
  if (hasOwnLimit || !isText(reply, request.tools !== undefined)) return reply;
  return continueReply(reply, request, options);
}

/** Makes one call, and a second one without thinking if thinking used up the whole reply. */
async function callWithThinkingRetry(request: AskRequest, options: AskOptions): Promise<ModelReply> {
  const reply = await callModel(request, options);
  const { cutOffAfterTokens, text, toolCalls, thinking } = reply;
  const isOnlyThinking =
    cutOffAfterTokens !== undefined && text === "" && toolCalls.length === 0 && thinking !== "";
  if (!isOnlyThinking) return reply;
  const { maxTokens: _spent, ...uncapped } = request;
  const retried = await callModel({ ...uncapped, think: "off" }, options);
  if (retried.text !== "" || retried.toolCalls.length > 0) return retried;
  throw new ModelError("empty", `The model ${retried.model} spent its whole reply on thinking.`, {
    ...providerOf(retried.model),
    suggestions: ["Set models.think to off in etc/operator.json, or choose another model."],
  });
}

function providerOf(ref: ModelRef): { provider: string; model?: string } {
  return ref.includes("/") ? splitModelRef(ref) : { provider: ref };
}

/** Some servers return a truncated tool call as text. */
const CALL_AS_TEXT = /^(?:\{|\[\{|<tool_call)/u;

/** Whether a reply is text for a person rather than a tool call or the start of one. */
export function isText({ text, toolCalls }: ChatReply, hasTools: boolean): boolean {
  return text !== "" && toolCalls.length === 0 && !(hasTools && CALL_AS_TEXT.test(text));
}

/** Continues a truncated text until it is complete or no more text arrives. */
async function continueReply(
  first: ModelReply,
  { tools: _tools, ...request }: AskRequest,
  options: AskOptions,
): Promise<Reply> {
  let whole = first;
  for (let count = 0; whole.cutOffAfterTokens !== undefined && count < MAX_CONTINUATIONS; count += 1) {
    const messages = [...request.messages, ...continuation(whole)];
    let next: ModelReply;
    try {
      next = await callModel({ ...request, messages }, options, whole.text);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      options.onWarning?.(`${error.message} The answer ends where it was cut off.`);
      return whole;
    }
    if (next.text.length === whole.text.length)
      return { ...whole, cutOffAfterTokens: next.cutOffAfterTokens };
    whole = { ...next, thinking: whole.thinking + next.thinking, usage: addUsage(whole.usage, next.usage) };
  }
  if (whole.cutOffAfterTokens !== undefined)
    options.onWarning?.("The answer was cut off: it reached the model's limit.");
  return whole;
}

/** Returns messages that ask for a continuation. The quoted text takes at most a quarter of the context. */
function continuation({ text, contextTokens }: ModelReply): ChatMessage[] {
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

function addUsage(one: ChatUsage, other: ChatUsage): ChatUsage {
  const add = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return {
    promptTokens: add(one.promptTokens, other.promptTokens),
    completionTokens: add(one.completionTokens, other.completionTokens),
    generationMs: add(one.generationMs, other.generationMs),
  };
}

interface ModelReply extends Reply {
  model: ModelRef;
  contextTokens: number;
}

const ASKED_ONCE_MORE = "The model was asked once more.";

/** The longest time that a call waits for a server that limits requests. */
export const MAX_WAIT_MS = 60_000;

/**
 * Asks the models of a role, and once more when a reply breaks off before its end, or when the server says how long it limits requests. `before` is the text that the reply continues; the
 * result includes it.
 */
async function callModel(request: AskRequest, options: AskOptions, before = ""): Promise<ModelReply> {
  try {
    return await callOnce(request, options, before);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const waitMs = waitAfter(error);
    if (waitMs === undefined && !wasCutOff(error)) throw error;
    if (waitMs !== undefined) await waitForServer(waitMs, error, options);
    else options.onWarning?.(`${error.message} ${ASKED_ONCE_MORE}`);
    return callOnce(request, options, before);
  }
}

/** How long to wait before asking again, if the server said so and it is not too long. */
const waitAfter = ({ reason, retryAfterMs }: ModelError): number | undefined =>
  (reason === "rate-limited" || reason === "server-error") &&
  retryAfterMs !== undefined &&
  retryAfterMs <= MAX_WAIT_MS
    ? retryAfterMs
    : undefined;

/** Waits as the server asked, and says so. Rejects with the signal's reason. */
async function waitForServer(
  waitMs: number,
  { message }: ModelError,
  { signal, onWarning }: AskOptions,
): Promise<void> {
  const seconds = Math.ceil(waitMs / 1_000);
  onWarning?.(`${message} It is asked again in ${seconds} s.`);
  await waitUnlessAborted(waitMs, signal);
}

/** True for a reply that began and did not end: its connection closed, the server reported an error in it, or it fell silent. */
const wasCutOff = ({ reason, cause }: ModelError): boolean =>
  reason === "truncated" ||
  reason === "broke-off" ||
  (cause instanceof TimeLimitExceeded && cause.limit === "silenceMs");

async function callOnce(request: AskRequest, options: AskOptions, before: string): Promise<ModelReply> {
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
          const next = part.ref === call.model ? ASKED_ONCE_MORE : `Went on with ${part.ref}.`;
          onWarning?.(`${part.after.message} ${next}`);
        }
        call = startCall(part, request, options, before);
      } else call.add(part);
      if (call.isTooLong())
        throw new ModelError("malformed", `The reply of ${call.model} is longer than a reply can be.`, {
          ...providerOf(call.model),
          suggestions: ["Choose another model."],
        });
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

/** More white space in a row, in characters, is not the layout of a JSON object. */
const MAX_WHITE_SPACE = 500;

/** The longest reply with its thinking, in characters: many times what a person reads, or a plan needs. */
const MAX_REPLY = 500_000;

/** Collects one model's reply and reports the call when it ends. */
function startCall(
  { ref: model, maxTokens, contextTokens }: Pick<SelectedModel, "ref" | "maxTokens" | "contextTokens">,
  { messages }: AskRequest,
  { purpose, role, onModelCall, onText }: AskOptions,
  before: string,
) {
  const started = performance.now();
  const raw = emptyReply();
  const reply = { ...emptyReply(), text: before };
  const trimmer = createOverlapTrimmer(before, (text) => {
    onText?.(text, reply.text.length);
    reply.text += text;
  });
  const filter = createThinkingFilter({
    text: trimmer.write,
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
    model,
    isTooLong: () => raw.text.length + raw.thinking.length > MAX_REPLY,
    /** With a schema, a model can get stuck writing white space, which every schema allows. */
    isStuck: () => raw.text.length >= MAX_WHITE_SPACE && raw.text.slice(-MAX_WHITE_SPACE).trim() === "",
    end(error?: ErrorDetail): ModelReply {
      filter.end();
      trimmer.end();
      const { promptTokens = 0, completionTokens = 0 } = raw.usage;
      onModelCall?.({
        purpose,
        role,
        model,
        messages,
        reply: formatReply({ ...reply, text: reply.text.slice(before.length, before.length + MAX_REPLY) }),
        ...(reply.thinking.trim() !== "" && { thinking: reply.thinking.slice(0, MAX_REPLY).trim() }),
        promptTokens,
        completionTokens,
        durationMs: performance.now() - started,
        ...(error && { error }),
      });
      const isCutOff = raw.finish === "length" || (maxTokens !== undefined && completionTokens >= maxTokens);
      const tokens = completionTokens > 0 ? completionTokens : estimateTokens(raw.text);
      return { ...reply, model, contextTokens, cutOffAfterTokens: isCutOff ? tokens : undefined };
    },
  };
}

type SelectedModel = Extract<RoutedPart, { type: "model" }>;

/** The part of a continuation that may repeat the text before it, in characters. */
const MAX_OVERLAP = 200;
/** Shorter overlaps are coincidence, in characters. */
const MIN_OVERLAP = 8;

/** Removes the repeated words at the start of a continuation. Buffers only its first `MAX_OVERLAP` characters. */
function createOverlapTrimmer(before: string, pass: (text: string) => void) {
  let buffer: string | undefined = before === "" ? undefined : "";
  const end = () => {
    if (buffer === undefined) return;
    let repeated = Math.min(buffer.length, before.length);
    while (repeated >= MIN_OVERLAP && !before.endsWith(buffer.slice(0, repeated))) repeated -= 1;
    const rest = repeated >= MIN_OVERLAP ? buffer.slice(repeated) : buffer;
    buffer = undefined;
    if (rest !== "") pass(rest);
  };
  return {
    write(text: string): void {
      if (buffer === undefined) {
        pass(text);
        return;
      }
      buffer += text;
      if (buffer.length >= MAX_OVERLAP) end();
    },
    end,
  };
}

function formatReply({ text, toolCalls }: ChatReply): string {
  if (toolCalls.length === 0) return text;
  const calls = JSON.stringify(toolCalls.map(({ name, args, problem }) => ({ name, args, problem })));
  return text.trim() === "" ? calls : `${text.trim()}\n${calls}`;
}

/** Returns a call's metrics for the audit log, without prompt and reply. */
export function callMetrics({ purpose, role, model, promptTokens, completionTokens, ...call }: ModelCall) {
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
