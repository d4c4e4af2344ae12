import type { FunctionMemory } from "../../contract/function.ts";
import { ConflictError } from "../../errors/request-errors.ts";
import { ForbiddenError } from "../../errors/access-errors.ts";
import type { FunctionActor, FunctionsPort } from "../functions-port.ts";
import { contentHash } from "../store/content-hash.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import { createAuditWriter, type LifecycleDependencies } from "./lifecycle-parts.ts";
import { firstOf } from "./saving.ts";
import type { Verifying } from "../verify/verify-function.ts";

type Deciding = Pick<
  FunctionsPort,
  | "promoteFunction"
  | "demoteFunction"
  | "approveFunction"
  | "rejectFunction"
  | "disableFunction"
  | "enableFunction"
>;

/** Changes the trust and status of functions. */
export function createDecisionMethods(parts: LifecycleDependencies, verifying: Verifying): Deciding {
  const { scope, store, lock } = parts;
  const writeAudit = createAuditWriter(parts);

  /** Applies the decision to the function's current state. */
  async function change(
    id: string,
    decide: (stored: StoredFunction) => StoredFunction,
  ): Promise<{ before: StoredFunction; after: StoredFunction }> {
    return lock.hold(async () => {
      const { function: before, path } = await store.find(scope, id);
      const after = decide(before);
      return { before, after: after === before ? before : await store.replace(path, after) };
    });
  }

  async function applyDecision(
    event: string,
    id: string,
    actor: FunctionActor,
    { reason, decide }: { reason?: string | undefined; decide: (stored: StoredFunction) => StoredFunction },
  ): Promise<FunctionMemory> {
    const { before, after } = await change(id, decide);
    await writeAudit(event, after, actor, {
      from: `${before.trust} ${before.status}`,
      to: `${after.trust} ${after.status}`,
      ...(reason !== undefined && { reason }),
    });
    return firstOf(await store.withEvidence([after]));
  }

  return {
    async promoteFunction(id, actor, reason, options) {
      assertPerson(actor, "promote");
      const { function: stored } = await store.find(scope, id);
      assertPromotable(stored);
      const report = await verifying.reportOf(stored, options);
      try {
        verifying.assertPassed(report, actor, reason);
      } catch (error) {
        // The caller reads the report of the earlier verification.
        await change(id, (now) => (isSame(now, stored) ? { ...now, verification: report } : now));
        throw error;
      }
      const promoted = await applyDecision("function_promoted", id, actor, {
        reason: report.ok ? reason : `over a failing report: ${reason ?? ""}`,
        decide(now) {
          assertPromotable(now);
          if (!isSame(now, stored))
            throw new ConflictError("The function changed while it was verified. Review it again.");
          return { ...withoutReason(now), trust: "verified", status: "active", verification: report };
        },
      });
      return { function: promoted, verification: report };
    },
    demoteFunction: (id, actor, reason) =>
      applyDecision("function_demoted", id, actor, { reason, decide: (now) => ({ ...now, trust: "draft" }) }),
    async approveFunction(id, actor, reason) {
      assertPerson(actor, "approve");
      const { function: stored } = await store.find(scope, id);
      const report = await verifying.reportOf(stored);
      return applyDecision("function_approved", id, actor, {
        reason,
        decide(now) {
          if (now.status !== "pending_approval" && now.status !== "rejected")
            throw new ConflictError("This function does not wait for approval.");
          if (!isSame(now, stored))
            throw new ConflictError("The function changed while it was verified. Review it again.");
          const trust = report.ok ? "verified" : now.trust;
          return { ...withoutReason(now), trust, status: "active", verification: report };
        },
      });
    },
    async rejectFunction(id, actor, reason) {
      assertPerson(actor, "reject");
      return applyDecision("function_rejected", id, actor, {
        reason,
        decide: (now) => ({
          ...withoutReason(now),
          status: "rejected",
          ...(reason && { statusReason: reason }),
        }),
      });
    },
    disableFunction: (id, actor, reason) =>
      applyDecision("function_disabled", id, actor, {
        reason,
        decide: (now) => ({
          ...withoutReason(now),
          status: "disabled",
          ...(reason && { statusReason: reason }),
        }),
      }),
    async enableFunction(id, actor, reason) {
      assertPerson(actor, "enable");
      return applyDecision("function_enabled", id, actor, {
        reason,
        decide(now) {
          if (now.status !== "disabled") throw new ConflictError("This function is not disabled.");
          return { ...withoutReason(now), status: "active", enabledAt: parts.clock().toISOString() };
        },
      });
    },
  };
}

/** Only a person decides about trust, never the output of a tool or the content of a file. */
function assertPerson(actor: FunctionActor, verb: string): void {
  if (!actor.isPerson) throw new ForbiddenError(`Only a person may ${verb} a function.`);
}

function assertPromotable({ status }: StoredFunction): void {
  if (status === "disabled" || status === "rejected") {
    throw new ConflictError(`This function is ${status}.`, {
      suggestions: [status === "disabled" ? "Enable it first." : "Approve it first."],
    });
  }
}

function isSame(one: StoredFunction, other: StoredFunction): boolean {
  return contentHash(contentOf(one)) === contentHash(contentOf(other));
}

function withoutReason({ statusReason: _reason, ...stored }: StoredFunction): StoredFunction {
  return stored;
}
