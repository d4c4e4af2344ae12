import type { Verification } from "../../contract/function.ts";
import { conclusiveFailures, isInconclusive } from "../../contract/verification.ts";
import { powersOf } from "../../contract/powers.ts";
import { ConflictError } from "../../errors/request-errors.ts";
import type { Following, FunctionActor, FunctionsPort } from "../functions-port.ts";
import { isProvenByBehaviour } from "./proof.ts";
import { contentHash } from "../store/content-hash.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import { createNotes, type LifecycleDependencies, validVerification } from "../lifecycle/lifecycle-parts.ts";

/** Runs the checks of functions and keeps their reports. */
export interface Verifying extends Pick<FunctionsPort, "verifyFunction"> {
  /** The report that counts for it now, made when it is missing or stale. */
  reportOf(stored: StoredFunction, following?: Following): Promise<Verification>;
  /** Throws `ConflictError` with the report unless it passed, or an owner gives a reason for going on. */
  assertPassed(report: Verification, actor: FunctionActor, reason: string | undefined): void;
  /** Makes it verified when the settings let passing checks of recipes and code decide. */
  verifiedByItself(stored: StoredFunction, actor: FunctionActor): Promise<StoredFunction>;
}

export function createVerifying(parts: LifecycleDependencies): Verifying {
  const { scope, store, verifier, lock, settings } = parts;
  const note = createNotes(parts);

  async function reportOf(stored: StoredFunction, following?: Following): Promise<Verification> {
    const content = contentOf(stored);
    return (
      validVerification(stored, contentHash(content)) ??
      (await verifier.verify(content, { ...following, agentId: stored.scope.agentId }))
    );
  }

  /** Keeps a report with its function, unless that became something else meanwhile or has a report that decides more. */
  function keep(
    id: string,
    report: Verification,
    more: (now: StoredFunction) => Partial<StoredFunction> = () => ({}),
  ): Promise<StoredFunction> {
    return lock.hold(async () => {
      const { function: now, path } = await store.find(scope, id);
      const hash = contentHash(contentOf(now));
      if (hash !== report.contentHash) return now;
      if (isInconclusive(report) && validVerification(now, hash)) return now;
      return store.replace(path, { ...now, verification: report, ...more(now) });
    });
  }

  return {
    reportOf,
    async verifyFunction(id, actor, following) {
      const { function: stored } = await store.find(scope, id);
      // Asked for anew: the world that it was checked in may have changed.
      const report = await verifier.verify(contentOf(stored), {
        ...following,
        agentId: stored.scope.agentId,
      });
      await keep(id, report);
      await note("function_verified", stored, actor, { ok: report.ok, failed: failedChecks(report) });
      return report;
    },
    assertPassed(report, actor, reason) {
      if (report.ok || (actor.isOwner && reason !== undefined && reason.trim() !== "")) return;
      if (isInconclusive(report))
        throw new ConflictError("Its verification could not be carried out, so nothing is known of it yet.", {
          suggestions: ["Verify it again in a moment; the report says what stood in the way."],
          context: { verification: report },
        });
      throw new ConflictError("Its verification fails, so it cannot be trusted as it is.", {
        suggestions: actor.isOwner
          ? ["Repair what the report names, or give a reason for promoting it all the same."]
          : ["Repair what the report names, or ask the owner."],
        context: { verification: report },
      });
    },
    async verifiedByItself(stored, actor) {
      if ((await settings()).requireApproval || stored.kind === "guide") return stored;
      // A secret that leaves with a request is for a person to give.
      if (powersOf(stored).some((power) => power.startsWith("secret:"))) return stored;
      const report = await reportOf(stored);
      const isProven = isProvenByBehaviour(report, stored.kind);
      // What somebody decided while it was checked stands.
      const settled = await keep(stored.id, report, (now) =>
        isProven && now.trust === stored.trust && now.status === stored.status
          ? { trust: "verified", status: "active" }
          : {},
      );
      await note("function_verified", settled, actor, {
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
