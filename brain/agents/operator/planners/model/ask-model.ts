import type { ModelRole } from "@metahuman/core/contract/models";
import { toErrorDetail } from "@metahuman/core/errors/to-error-detail";
import { addPart, emptyReply, type ChatReply, type ChatRequest } from "@metahuman/models/provider";
import type { ModelRouter } from "@metahuman/models/router";
import type { ModelCall } from "../../planner.ts";

export interface Asking {
  router: ModelRouter;
  role: ModelRole;
  purpose: ModelCall["purpose"];
  signal: AbortSignal;
  onModelCall: ((call: ModelCall) => void) | undefined;
  onWarning?: ((message: string) => void) | undefined;
  /** Text as it comes, with its place in the reply; begins again at 0 when another model takes over. */
  onText?: ((text: string, offset: number) => void) | undefined;
}

/** Asks the role's model once, tells of the call whatever its end, and returns the whole reply. */
export async function askModel(request: Omit<ChatRequest, "model">, asking: Asking): Promise<ChatReply> {
  const started = performance.now();
  let model = "none/none";
  let reply = emptyReply();
  let error: ModelCall["error"];
  try {
    for await (const part of asking.router.chat(asking.role, request, asking.signal)) {
      if (part.type === "model") {
        model = part.ref;
        if (part.after) {
          asking.onWarning?.(`${part.after.message} Went on with ${part.ref}.`);
          reply = emptyReply();
        }
        continue;
      }
      if (part.type === "text") asking.onText?.(part.text, reply.text.length);
      addPart(reply, part);
    }
    return reply;
  } catch (thrown) {
    error = toErrorDetail(thrown);
    throw thrown;
  } finally {
    asking.onModelCall?.({
      purpose: asking.purpose,
      role: asking.role,
      model,
      messages: request.messages,
      reply: reply.toolCalls.length === 0 ? reply.text : toolCallsIn(reply),
      promptTokens: reply.usage.promptTokens ?? 0,
      completionTokens: reply.usage.completionTokens ?? 0,
      durationMs: performance.now() - started,
      ...(error && { error }),
    });
  }
}

/** What a model says beside its calls is part of its reply. */
function toolCallsIn({ text, toolCalls }: ChatReply): string {
  const calls = JSON.stringify(toolCalls.map(({ name, args }) => ({ name, args })));
  return text.trim() === "" ? calls : `${text.trim()}\n${calls}`;
}
