import type { AuditEvent } from "../../contract/audit.ts";
import type { OperatorConfig } from "../../contract/config.ts";
import type { FunctionProposal, Verification } from "../../contract/function.ts";
import { isInconclusive } from "../../contract/verification.ts";
import type { FileLock } from "../../database/file-lock.ts";
import type { RecordArchive } from "../../memory/store/record-archive.ts";
import type { WorkerClient } from "../../worker/worker-client.ts";
import type { EvidenceTable } from "../upkeep/evidence-table.ts";
import { EVERY_AGENT, USUAL_AGENT } from "../../contract/function.ts";
import type { FunctionActor, FunctionVerifier } from "../functions-port.ts";
import type { FunctionIndexCalls, Scope } from "../index/protocol.ts";
import type { FunctionStore } from "../store/function-store.ts";
import type { RecordFolder } from "../store/record-folder.ts";
import type { StoredFunction } from "../store/stored-function.ts";
import type { FunctionFiles } from "../store/function-files.ts";

/** What everything that is done to a function stands on. */
export interface LifecycleDependencies {
  scope: Scope;
  store: FunctionStore;
  files: FunctionFiles;
  index: Pick<WorkerClient<FunctionIndexCalls>, "call">;
  proposals: RecordFolder<FunctionProposal>;
  evidence: EvidenceTable;
  archive: RecordArchive;
  verifier: FunctionVerifier;
  /** Held while a function that exists is changed, in every process. */
  lock: FileLock;
  settings: () => Promise<OperatorConfig["functions"]>;
  audit: (event: AuditEvent) => Promise<void>;
  clock: () => Date;
}

/** Where something new belongs: no function is every agent's. */
export function ownScope(scope: Scope): Scope {
  return scope.agentId === EVERY_AGENT ? { ...scope, agentId: USUAL_AGENT } : scope;
}

/** Writes down what was done to a function: who, which, and no word of its content but the title. */
export function createNotes({ audit }: Pick<LifecycleDependencies, "audit">) {
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

/** The verification as it counts for this content: one of another content says nothing, nor does an inconclusive one. */
export function validVerification(
  { verification }: Pick<StoredFunction, "verification">,
  hash: string,
): Verification | undefined {
  return verification?.contentHash === hash && !isInconclusive(verification) ? verification : undefined;
}
