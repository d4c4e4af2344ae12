import type { RunEvent } from "@metahuman/core/contract/event";
import { sharedMessages, type ModelCallRecord } from "@metahuman/core/contract/model-call";
import type { SkillCard } from "@metahuman/core/contract/skill";

/** The skills a planner may call, as `mh operator --debug` lists them. */
export function catalogLines(cards: readonly SkillCard[]): string[] {
  return [
    `catalog: ${String(cards.length)} skills`,
    ...cards.map(({ id, inputs, summary, effect, risk }) => {
      const named = inputs.map(({ name, required }) => `${name}${required ? "*" : ""}`).join(", ");
      return `    ${id}(${named}): ${summary} [${effect}, ${risk} risk]`;
    }),
  ];
}

/** One call to a model: its cost, its prompt and its reply. What it shares with `before` is counted, not repeated. */
export function modelCallLines(call: ModelCallRecord, before: ModelCallRecord | undefined): string[] {
  const shared = before === undefined ? 0 : sharedMessages(before.messages, call.messages);
  const cost = `${String(Math.round(call.durationMs))} ms, ${String(call.promptTokens)} + ${String(call.completionTokens)} tokens`;
  return [
    `    model  ${call.purpose} for step ${String(call.step)}: ${call.model}, ${cost}`,
    ...(shared > 0 ? [`      (${String(shared)} messages as in the call before)`] : []),
    ...call.messages.slice(shared).flatMap(({ role, content }) => block(role, content)),
    ...(call.error
      ? block("failed", `${call.error.code}: ${call.error.message}`)
      : block("reply", call.reply)),
  ];
}

/** What an event adds for somebody who looks for a fault: which planner, and where the time went. */
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
