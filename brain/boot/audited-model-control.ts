import type { AuditLog } from "@metahuman/core/audit/audit-log";
import type { ModelServerEdit } from "@metahuman/core/contract/model-servers";
import type { PullEvent } from "@metahuman/core/contract/models";
import type { ModelControl, StartOptions } from "./brain.ts";

/** Model control that records each use in the audit log. */
export function auditedModelControl(
  control: ModelControl,
  audit: AuditLog,
  { actor, surface }: { actor: string; surface: StartOptions["surface"] },
): ModelControl {
  const record = (event: string, details: Record<string, unknown>) =>
    audit.append({ event, actor, surface, details });
  return {
    async assign(assignment) {
      const situation = await control.assign(assignment);
      await record("model_role_assigned", { ...assignment });
      return situation;
    },
    configuredServers: () => control.configuredServers(),
    async saveServer(server) {
      const situation = await control.saveServer(server);
      await record("model_server_saved", {
        id: server.id,
        address: server.baseUrl,
        credential: keyChange(server),
      });
      return situation;
    },
    async removeServer(id) {
      const situation = await control.removeServer(id);
      await record("model_server_removed", { id });
      return situation;
    },
    async testServer(server, signal) {
      await record("model_server_tested", { id: server.id, address: server.baseUrl });
      return await control.testServer(server, signal);
    },
    async removeModel(model, signal) {
      const situation = await control.removeModel(model, signal);
      await record("model_removed", { model });
      return situation;
    },
    async *test(request, signal) {
      await record("model_tested", { model: request.model });
      yield* control.test(request, signal);
    },
    async pull(request, signal) {
      const events = await control.pull(request, signal);
      await record("model_pull_started", { ...request });
      return withRecord(events, () => record("model_pulled", { ...request }));
    },
  };
}

/** The change of a server's key, without any part of the key itself. */
function keyChange({ key }: ModelServerEdit): string {
  if (key === undefined) return "unchanged";
  if (key === null) return "none";
  return "value" in key ? "stored" : `environment variable ${key.variable}`;
}

async function* withRecord(
  events: AsyncIterable<PullEvent>,
  done: () => Promise<void>,
): AsyncGenerator<PullEvent> {
  for await (const event of events) {
    if (event.type === "done") await done();
    yield event;
  }
}
