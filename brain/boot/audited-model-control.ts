import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { PullEvent } from "@metahuman/core/contract/models";
import type { ModelControl, StartOptions } from "./brain.ts";

/** Model control that records each use in the audit log. */
export function auditedModelControl(
  control: ModelControl,
  audit: AuditLog,
  { actor, surface }: { actor: string; surface: StartOptions["surface"] },
): ModelControl {
  const note = (event: string, details: Record<string, unknown>) =>
    audit.append({ event, actor, surface, details });
  return {
    async assign(assignment) {
      const situation = await control.assign(assignment);
      await note("model_role_assigned", { ...assignment });
      return situation;
    },
    async *test(request, signal) {
      await note("model_tested", { model: request.model });
      yield* control.test(request, signal);
    },
    async pull(request, signal) {
      const events = await control.pull(request, signal);
      await note("model_pull_started", { ...request });
      return noted(events, () => note("model_pulled", { ...request }));
    },
  };
}

async function* noted(
  events: AsyncIterable<PullEvent>,
  done: () => Promise<void>,
): AsyncGenerator<PullEvent> {
  for await (const event of events) {
    if (event.type === "done") await done();
    yield event;
  }
}
