import { parseJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";
import { ask, isText, type AskOptions, type AskRequest, type Reply } from "./ask.ts";
import { ModelError } from "./model-error.ts";
import { emptyReply, type ChatMessage } from "./provider.ts";

/** A reply as the schema's value, or every reason why it is none, in words that the model can act on. */
export type JsonReading<Value> = { ok: true; value: Value } | { ok: false; problems: string[] };

/** What came of asking for a form; `reply` is the last one. `problems` say so where it was cut off. */
export type Answered<Value> = JsonReading<Value> & { reply: Reply };

export interface AskFormOptions extends AskOptions {
  /** Whether an unusable reply is asked for again, with its problems; true when absent. */
  retry?: boolean;
  /** What a model may do when its reply was cut off at so many tokens; it is asked for a shorter one when absent. */
  cutOffAdvice?: ((tokens: number) => string) | undefined;
}

/**
 * Asks for a JSON object of a shape. `format`: the JSON Schema for the server, made from `shape` when absent. A reply that
 * does not fit is asked for once more with the exact problems, one that was cut off twice. Throws as `ask` does, except
 * for an empty reply, which is one that does not fit.
 */
export async function askForJson<Shape extends z.ZodType>(
  shape: Shape,
  request: AskRequest,
  options: AskFormOptions,
): Promise<Answered<z.output<Shape>>> {
  const format = request.format ?? jsonSchemaOf(shape);
  return corrected({ ...request, format }, options, (reply) => readJson(shape, reply.text), JSON_FORM);
}

/**
 * Asks with tools and returns the reply: its calls, or a text without any. Calls after one that cannot be read are left
 * out; where the first cannot be read, the reply is asked for again as in `askForJson`.
 */
export async function askForToolCalls(
  request: AskRequest,
  options: AskFormOptions,
): Promise<Answered<Reply>> {
  return corrected(request, options, readToolCalls, "Make the call again.");
}

function readToolCalls(reply: Reply): JsonReading<Reply> {
  const { toolCalls, cutOffAt } = reply;
  const broken = toolCalls.findIndex(({ problem }) => problem !== undefined);
  if (broken > 0) return { ok: true, value: { ...reply, toolCalls: toolCalls.slice(0, broken) } };
  const { name, problem } = toolCalls[broken] ?? {};
  if (problem) {
    const reason = problem.kind === "malformed" ? `not valid JSON: ${problem.reason}` : "not complete";
    return { ok: false, problems: [`The arguments of your call of ${name || "a tool"} are ${reason}`] };
  }
  if (cutOffAt !== undefined && toolCalls.length === 0 && !isText(reply, true))
    return { ok: false, problems: ["The call is not complete."] };
  return { ok: true, value: reply };
}

const JSON_FORM = "Reply again with one JSON object and nothing else.";
/** How often each kind of unusable reply is asked for again. */
const RETRIES = { invalid: 1, cutOff: 2 };

/** Asks until a reply can be used or no retry is left. */
async function corrected<Value>(
  request: AskRequest,
  { retry = true, cutOffAdvice = () => "Be much shorter.", ...options }: AskFormOptions,
  read: (reply: Reply) => JsonReading<Value>,
  again: string,
): Promise<Answered<Value>> {
  const left = retry ? { ...RETRIES } : { invalid: 0, cutOff: 0 };
  for (let current = request; ;) {
    const reply = await replyOrProblem(current, options);
    const reading = reply.problem ? { ok: false as const, problems: [reply.problem] } : read(reply);
    if (reading.ok) return { ...reading, reply };
    const { cutOffAt, text } = reply;
    const isCutOff = cutOffAt !== undefined;
    const problems = isCutOff ? [`Your reply was cut off at ${cutOffAt} tokens.`] : reading.problems;
    if ((isCutOff ? left.cutOff-- : left.invalid--) <= 0) return { ok: false, problems, reply };
    const complaint = isCutOff
      ? `${problems[0]} ${cutOffAdvice(cutOffAt)}`
      : `That was not a valid reply:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
    const shown = text.slice(0, SHOWN_REPLY).toWellFormed() || "(nothing)";
    const messages: ChatMessage[] = [
      ...request.messages,
      { role: "assistant", content: shown },
      { role: "user", content: `${complaint}\n${again}` },
    ];
    // A cap that was reached once would be reached again.
    const { maxTokens, ...uncapped } = request;
    current = { ...uncapped, messages, ...(maxTokens !== undefined && !isCutOff && { maxTokens }) };
  }
}

/** An empty reply, and a call that the server itself could not read, are replies that cannot be used. */
async function replyOrProblem(
  request: AskRequest,
  options: AskOptions,
): Promise<Reply & { problem?: string }> {
  try {
    return await ask(request, options);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const nothing = { ...emptyReply(), cutOffAt: undefined };
    if (error.reason === "empty") return { ...nothing, problem: "The reply was empty." };
    if (error.reason === "malformed-call")
      return { ...nothing, problem: "The arguments of your tool call are not valid JSON." };
    throw error;
  }
}

export function jsonSchemaOf(shape: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
  return schema;
}

/** How much of an unusable reply is shown back to the model, in characters. */
const SHOWN_REPLY = 1_000;

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
