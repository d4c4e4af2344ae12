import type { Verification } from "../../contract/function.ts";
import { conclusiveFailures, isInconclusive } from "../../contract/verification.ts";
import { permissionsOf } from "../../contract/function-permissions.ts";
import { ConflictError } from "../../errors/request-errors.ts";
import type { CheckOptions, FunctionActor, FunctionsPort } from "../functions-port.ts";
import { isProvenByBehavior } from "./proof.ts";
import { contentHash } from "../store/content-hash.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import {
  createAuditWriter,
  type LifecycleDependencies,
  validVerification,
} from "../lifecycle/lifecycle-parts.ts";

/** Verifies functions and stores their reports. */
export interface Verifying extends Pick<FunctionsPort, "verifyFunction"> {
  /** The current report; verifies when it is missing or stale. */
  reportOf(stored: StoredFunction, options?: CheckOptions): Promise<Verification>;
  /** Throws `ConflictError` with the report unless it passed, or an owner gives a reason. */
  assertPassed(report: Verification, actor: FunctionActor, reason: string | undefined): void;
  /** Promotes a passing recipe or code function if the settings require no approval. */
  promoteIfAllowed(stored: StoredFunction, actor: FunctionActor): Promise<StoredFunction>;
}

export function createVerificationMethods(parts: LifecycleDependencies): Verifying {
  const { scope, store, verifier, lock, settings } = parts;
  const writeAudit = createAuditWriter(parts);

  async function reportOf(stored: StoredFunction, options?: CheckOptions): Promise<Verification> {
    const content = contentOf(stored);
    return (
      validVerification(stored, contentHash(content)) ??
      (await verifier.verify(content, { ...options, agentId: stored.scope.agentId }))
    );
  }

  /** Stores a report unless the content changed meanwhile or an existing report is more conclusive. */
  function keep(
    id: string,
    report: Verification,
    edit: (now: StoredFunction) => Partial<StoredFunction> = () => ({}),
  ): Promise<StoredFunction> {
    return lock.hold(async () => {
      const { function: now, path } = await store.find(scope, id);
      const hash = contentHash(contentOf(now));
      if (hash !== report.contentHash) return now;
      if (isInconclusive(report) && validVerification(now, hash)) return now;
      return store.replace(path, { ...now, verification: report, ...edit(now) });
    });
  }

  return {
    reportOf,
    async verifyFunction(id, actor, options) {
      const { function: stored } = await store.find(scope, id);
      // Verified again, because the environment may have changed.
      const report = await verifier.verify(contentOf(stored), {
        ...options,
        agentId: stored.scope.agentId,
      });
      await keep(id, report);
      await writeAudit("function_verified", stored, actor, { ok: report.ok, failed: failedChecks(report) });
      return report;
    },
    assertPassed(report, actor, reason) {
      if (report.ok || (actor.isOwner && reason !== undefined && reason.trim() !== "")) return;
      if (isInconclusive(report))
        throw new ConflictError("The function could not be verified, so the result is not known yet.", {
          suggestions: ["Verify it again in a moment; the report states what prevented it."],
          context: { verification: report },
        });
      throw new ConflictError("The verification failed, so the function cannot be promoted as it is.", {
        suggestions: actor.isOwner
          ? ["Fix what the report lists, or give a reason to promote it anyway."]
          : ["Fix what the report lists, or ask the owner."],
        context: { verification: report },
      });
    },
    async promoteIfAllowed(stored, actor) {
      if ((await settings()).requireApproval || stored.kind === "guide") return stored;
      // Only a person may grant a secret.
      if (permissionsOf(stored).some((permission) => permission.startsWith("secret:"))) return stored;
      const report = await reportOf(stored);
      const isProven = isProvenByBehavior(report, stored.kind);
      // A decision made during the verification takes precedence.
      const settled = await keep(stored.id, report, (now) =>
        isProven && now.trust === stored.trust && now.status === stored.status
          ? { trust: "verified", status: "active" }
          : {},
      );
      await writeAudit("function_verified", settled, actor, {
        ok: report.ok,
        byItself: true,
        failed: failedChecks(report),
      });
      return settled;
    },
  };
}

export function failedChecks(report: Verification): string[] {
  return conclusiveFailures(report).map(({ name }) => name);
}
