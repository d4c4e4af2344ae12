import type { AuditEvent } from "../../contract/audit.ts";
import type { OperatorConfig } from "../../contract/config.ts";
import { type Verification, EVERY_AGENT, DEFAULT_AGENT } from "../../contract/function.ts";
import { isInconclusive } from "../../contract/verification.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { EvidenceTable } from "../upkeep/evidence-table.ts";
import type { FunctionActor, FunctionVerifier } from "../functions-port.ts";
import type { FunctionIndexCalls, Scope } from "../index/protocol.ts";
import type { FunctionStorage, FunctionStore } from "../store/function-store.ts";
import type { SummaryOf } from "../store/fields-of-calls.ts";
import type { StoredFunction } from "../store/stored-function.ts";

/** The dependencies of all operations on functions. */
export interface LifecycleDependencies extends Pick<
  FunctionStorage,
  "files" | "history" | "proposals" | "archive" | "lock"
> {
  scope: Scope;
  store: FunctionStore;
  index: Pick<WorkerClient<FunctionIndexCalls>, "call">;
  evidence: EvidenceTable;
  verifier: FunctionVerifier;
  /** The summaries of the skills, for the steps of recipes. */
  summaryOf: SummaryOf;
  settings: () => Promise<OperatorConfig["functions"]>;
  audit: (event: AuditEvent) => Promise<void>;
  clock: () => Date;
}

/** The scope of a new function: `EVERY_AGENT` becomes the usual agent. */
export function ownScope(scope: Scope): Scope {
  return scope.agentId === EVERY_AGENT ? { ...scope, agentId: DEFAULT_AGENT } : scope;
}

/** Writes audit entries about functions. They contain only the title of the function, not its content. */
export function createAuditWriter({ audit }: Pick<LifecycleDependencies, "audit">) {
  return (
    event: string,
    { id, title, version, scope }: Pick<StoredFunction, "id" | "title" | "version" | "scope">,
    actor: FunctionActor,
    details: Record<string, unknown> = {},
  ): Promise<void> =>
    audit({
      event,
      actor: actor.by,
      ...(actor.surface !== undefined && { surface: actor.surface }),
      ...(actor.runId !== undefined && { runId: actor.runId }),
      details: { functionId: id, title, version, agentId: scope.agentId, ...details },
    });
}

/** The verification if it is conclusive and matches this content's hash. */
export function validVerification(
  { verification }: Pick<StoredFunction, "verification">,
  hash: string,
): Verification | undefined {
  return verification?.contentHash === hash && !isInconclusive(verification) ? verification : undefined;
}
