import { AuditEntry } from "@metahuman/core/contract/audit";
import { route } from "../../../server/api/route.ts";
import type { ServerSentEvent } from "../../../server/api/event-stream.ts";

export const GET = route(
  {
    summary: "New lines of the audit log as they are written",
    needs: "canReadAudit",
    input: {},
    output: AuditEntry,
    events: true,
  },
  ({ caller, stream }) => {
    async function* entries(signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
      for await (const entry of caller.profile.audit.stream(signal)) {
        yield { id: String(entry.seq), event: "audit", data: entry };
      }
    }
    return stream(entries);
  },
);
