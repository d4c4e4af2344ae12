import type { RunEvent } from "@metahuman/core/contract/event";
import { sharedMessages, type ModelCallRecord } from "@metahuman/core/contract/model-call";
import type { SkillCard } from "@metahuman/core/contract/skill";

/** Lists the skills that a planner may call, for `mh operator --debug`. */
export function catalogLines(cards: readonly SkillCard[]): string[] {
  return [
    `catalog: ${String(cards.length)} skills`,
    ...cards.map(({ id, inputs, summary, effect, risk }) => {
      const named = inputs.map(({ name, required }) => `${name}${required ? "*" : ""}`).join(", ");
      return `    ${id}(${named}): ${summary} [${effect}, ${risk} risk]`;
    }),
  ];
}

/** Formats a model call: cost, prompt and reply. Messages shared with `before` are counted, not repeated. */
export function modelCallLines(call: ModelCallRecord, before: ModelCallRecord | undefined): string[] {
  const shared = before === undefined ? 0 : sharedMessages(before.messages, call.messages);
  const cost = `${String(Math.round(call.durationMs))} ms, ${String(call.promptTokens)} + ${String(call.completionTokens)} tokens`;
  return [
    `    model  ${call.purpose} for step ${String(call.step)}: ${call.model}, ${cost}`,
    ...(shared > 0 ? [`      (${String(shared)} messages shared with the previous call)`] : []),
    ...call.messages.slice(shared).flatMap(({ role, content }) => block(role, content)),
    ...(call.thinking === undefined ? [] : block("thinks", call.thinking)),
    ...(call.error
      ? block("failed", `${call.error.code}: ${call.error.message}`)
      : block("reply", call.reply)),
  ];
}

/** Formats the details that `--debug` adds to an event: the planner and the durations. */
export function debugEventLines(event: RunEvent): string[] {
  switch (event.type) {
    case "run-started":
      return [`run ${event.runId}, planner ${event.planner}`];
    case "context-built":
      return [
        `context  ${String(event.memories)} memories, ${String(event.functions)} functions, ${String(event.tokens)} tokens, ${String(Math.round(event.durationMs))} ms`,
      ];
    case "action-started":
      return [`    started with idempotency key ${event.idempotencyKey}`];
    case "usage-recorded": {
      const { planningCalls, modelCalls, promptTokens, completionTokens, durationMs } = event.usage;
      return [
        `usage  ${String(planningCalls)} planning calls of ${String(modelCalls)} model calls, ${String(promptTokens)} + ${String(completionTokens)} tokens, ${String(Math.round(durationMs))} ms`,
      ];
    }
    case "run-ended":
      return [`ended  ${event.outcome}${event.error ? ` (${event.error.code})` : ""}`];
    default:
      return [];
  }
}

function block(label: string, text: string): string[] {
  return text.split("\n").map((line, index) => `      ${(index === 0 ? label : "").padEnd(9)}| ${line}`);
}
