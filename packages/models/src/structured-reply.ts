import { parseJson } from "@metahuman/core/contract/parse-json";
import { z } from "zod";
import { ask, isText, type AskOptions, type AskRequest, type Reply } from "./ask.ts";
import { ModelError } from "./model-error.ts";
import { emptyReply, type ChatMessage } from "./provider.ts";

/** A parsed reply, or every problem with it in words for the model. */
export type JsonResult<Value> = { ok: true; value: Value } | { ok: false; problems: string[] };

/** The result with the last reply. `problems` mention a truncated reply. */
export type StructuredReply<Value> = JsonResult<Value> & { reply: Reply };

export interface StructuredOptions extends AskOptions {
  /** Whether an unusable reply is retried with its problems; true if absent. */
  retry?: boolean;
  /** The advice to the model for a reply that was cut off at this number of tokens; by default, to be shorter. */
  cutOffAdvice?: ((tokens: number) => string) | undefined;
  /** The forms of a valid reply, which a request for another one shows. */
  forms?: string;
}

/**
 * Asks for a JSON object of a shape. `format` is the JSON Schema for the server; by default, it is derived from `shape`. An
 * invalid reply is retried once with the exact problems, a truncated one twice. Throws as `ask` does, except
 * that an empty reply counts as invalid.
 */
export async function askForJson<Shape extends z.ZodType>(
  shape: Shape,
  request: AskRequest,
  options: StructuredOptions,
): Promise<StructuredReply<z.output<Shape>>> {
  const format = request.format ?? jsonSchemaOf(shape);
  const retryPrompt = options.forms === undefined ? JSON_FORM : `${JSON_FORM} Its form:\n${options.forms}`;
  return askWithRetries({ ...request, format }, options, (reply) => readJson(shape, reply.text), retryPrompt);
}

/**
 * Asks with tools and returns the reply with calls or text. Calls after a malformed one are left
 * out; if the first is malformed, the request is retried as in `askForJson`.
 */
export async function askForToolCalls(
  request: AskRequest,
  options: StructuredOptions,
): Promise<StructuredReply<Reply>> {
  return askWithRetries(request, options, readToolCalls, "Make the call again.");
}

function readToolCalls(reply: Reply): JsonResult<Reply> {
  const { toolCalls, cutOffAfterTokens } = reply;
  const broken = toolCalls.findIndex(({ problem }) => problem !== undefined);
  if (broken > 0) return { ok: true, value: { ...reply, toolCalls: toolCalls.slice(0, broken) } };
  const { name, problem } = toolCalls[broken] ?? {};
  if (problem) {
    const reason = problem.kind === "malformed" ? `not valid JSON: ${problem.reason}` : "not complete";
    return { ok: false, problems: [`The arguments of your call of ${name || "a tool"} are ${reason}`] };
  }
  if (cutOffAfterTokens !== undefined && toolCalls.length === 0 && !isText(reply, true))
    return { ok: false, problems: ["The call is not complete."] };
  return { ok: true, value: reply };
}

const JSON_FORM = "Reply again with one JSON object and nothing else.";
/** The maximum number of retries for each kind of unusable reply. */
const RETRIES = { invalid: 1, cutOff: 2 };

/** Asks until a reply is usable or no retry is left. */
async function askWithRetries<Value>(
  request: AskRequest,
  { retry = true, cutOffAdvice = () => "Be much shorter.", forms: _forms, ...options }: StructuredOptions,
  read: (reply: Reply) => JsonResult<Value>,
  retryPrompt: string,
): Promise<StructuredReply<Value>> {
  const retriesLeft = retry ? { ...RETRIES } : { invalid: 0, cutOff: 0 };
  for (let current = request; ;) {
    const reply = await replyOrProblem(current, options);
    const reading = reply.problem ? { ok: false as const, problems: [reply.problem] } : read(reply);
    if (reading.ok) return { ...reading, reply };
    const { cutOffAfterTokens, text } = reply;
    const isCutOff = cutOffAfterTokens !== undefined;
    const problems = isCutOff ? [`Your reply was cut off at ${cutOffAfterTokens} tokens.`] : reading.problems;
    if ((isCutOff ? retriesLeft.cutOff-- : retriesLeft.invalid--) <= 0) return { ok: false, problems, reply };
    const feedback = isCutOff
      ? `${problems[0]} ${cutOffAdvice(cutOffAfterTokens)}`
      : `That was not a valid reply:\n${problems.map((problem) => `- ${problem}`).join("\n")}`;
    const shown = text.slice(0, SHOWN_REPLY).toWellFormed() || "(nothing)";
    const messages: ChatMessage[] = [
      ...request.messages,
      { role: "assistant", content: shown },
      { role: "user", content: `${feedback}\n${retryPrompt}` },
    ];
    // A limit that was reached once would be reached again.
    const { maxTokens, ...uncapped } = request;
    current = { ...uncapped, messages, ...(maxTokens !== undefined && !isCutOff && { maxTokens }) };
  }
}

/** Turns an empty reply or a call that the server could not parse into a problem. */
async function replyOrProblem(
  request: AskRequest,
  options: AskOptions,
): Promise<Reply & { problem?: string }> {
  try {
    return await ask(request, options);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const empty = { ...emptyReply(), cutOffAfterTokens: undefined };
    if (error.reason === "empty") return { ...empty, problem: "The reply was empty." };
    if (error.reason === "malformed-call")
      return { ...empty, problem: "The arguments of your tool call are not valid JSON." };
    throw error;
  }
}

export function jsonSchemaOf(shape: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape, { io: "input", unrepresentable: "any" });
  return schema;
}

/** The part of an unusable reply that is quoted to the model, in characters. */
const SHOWN_REPLY = 1_000;

/**
 * Parses JSON from a reply: bare, fenced, after thinking, or surrounded by text. The first
 * complete JSON object outside of thinking counts.
 */
export function readJson<Shape extends z.ZodType>(shape: Shape, text: string): JsonResult<z.output<Shape>> {
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

/** The maximum number of opening braces tried. Each costs a pass over the text. */
const MAX_STARTS = 32;
/** Thinking before the first brace, up to the end of the text if unclosed. A tag inside an object is content. */
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

/** Returns the index of the brace that closes the object at `start`, ignoring braces in strings. */
function closingBrace(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (isInString) {
      if (character === "\\") index += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return index;
    }
  }
  return undefined;
}
