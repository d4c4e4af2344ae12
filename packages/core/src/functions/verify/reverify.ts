import type { Verification } from "../../contract/function.ts";
import { conclusiveFailures, isInconclusive, type Reverification } from "../../contract/verification.ts";
import { contentHash } from "../store/content-hash.ts";
import { contentOf, type StoredFunction } from "../store/stored-function.ts";
import { toErrorDetail } from "../../errors/to-error-detail.ts";
import { TRIAL_CHECK, VERIFICATION_RULES } from "./proof.ts";
import { createAuditWriter, type LifecycleDependencies } from "../lifecycle/lifecycle-parts.ts";

export interface ReverifyOptions {
  /** The functions of every agent of the profile. */
  all: readonly StoredFunction[];
  signal: AbortSignal;
  /** Called whenever the state changes. */
  onProgress(state: Reverification): void;
}

const VERIFIER = { by: "verifier", isPerson: false, isOwner: false };

/** True when a function is verified by a report that follows older rules. */
export function needsReverification({
  trust,
  verification,
}: Pick<StoredFunction, "trust" | "verification">): boolean {
  return trust === "verified" && verification?.ok === true && (verification.rules ?? 1) < VERIFICATION_RULES;
}

/**
 * Re-verifies, one by one, every function whose report follows older rules. A function that fails becomes a draft with
 * the reason. One that a person promoted over a failing report stays verified; one with an inconclusive result keeps its
 * older report. Each report is stored at once, so that a later call continues here. Rejects with the signal's reason.
 */
export async function reverify(
  parts: Omit<LifecycleDependencies, "scope">,
  { all, signal, onProgress }: ReverifyOptions,
): Promise<void> {
  const waiting = all.filter(needsReverification);
  const state: Reverification = {
    status: "running",
    total: waiting.length,
    checked: 0,
    demoted: [],
    inconclusive: [],
  };
  const copyOfState = (): Reverification => ({
    ...state,
    demoted: [...state.demoted],
    inconclusive: [...state.inconclusive],
  });
  if (waiting.length === 0) return;
  onProgress(copyOfState());
  for (const { id, scope, ...before } of waiting) {
    const stored = { ...before, id, scope };
    const report = await verifyFunction(parts, stored, signal);
    signal.throwIfAborted();
    // A person decided about the guide, so a failed trial does not demote it; a failed text check does.
    const failed = conclusiveFailures(report).filter(
      ({ name }) => !(stored.kind === "guide" && name.startsWith(TRIAL_CHECK)),
    );
    if (failed.length === 0 && isInconclusive(report)) {
      state.checked += 1;
      const reason = reasonOf(report.checks.filter(({ ok, inconclusive }) => !ok && inconclusive));
      state.inconclusive.push({ id, title: stored.title, reason });
      onProgress(copyOfState());
      continue;
    }
    const reason = reasonOf(failed);
    const isChanged = await parts.lock.hold(async () => {
      const { function: now, path } = await parts.store.find(scope, id);
      if (now.trust !== "verified" || contentHash(contentOf(now)) !== report.contentHash) return false;
      await parts.store.replace(path, {
        ...now,
        verification: { ...report, rules: VERIFICATION_RULES },
        ...(failed.length > 0 && {
          trust: "draft" as const,
          statusReason: `It no longer passes its checks. ${reason}`,
        }),
      });
      return true;
    });
    state.checked += 1;
    if (isChanged && failed.length > 0) {
      state.demoted.push({ id, title: stored.title, reason });
      await createAuditWriter(parts)("function_demoted", stored, VERIFIER, { reason });
    }
    onProgress(copyOfState());
  }
  onProgress({ ...copyOfState(), status: "done" });
}

/** The report; an error of the verification itself makes it inconclusive. Rejects with the signal's reason. */
async function verifyFunction(
  { verifier, clock }: Pick<LifecycleDependencies, "verifier" | "clock">,
  stored: StoredFunction,
  signal: AbortSignal,
): Promise<Verification> {
  try {
    return await verifier.verify(contentOf(stored), { signal, agentId: stored.scope.agentId });
  } catch (error) {
    signal.throwIfAborted();
    const check = {
      name: "verification",
      ok: false,
      detail: toErrorDetail(error).message,
      inconclusive: true,
    } as const;
    const at = clock().toISOString();
    return { at, contentHash: contentHash(contentOf(stored)), ok: false, checks: [check] };
  }
}

function reasonOf(checks: Verification["checks"]): string {
  return checks
    .map(({ name, detail }) => (detail === undefined ? name : `${name}: ${detail}`))
    .join("\n")
    .slice(0, 1_800);
}
