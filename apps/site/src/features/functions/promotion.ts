import type { FunctionMemory } from "@metahuman/core/contract/function";
import { isInconclusive } from "@metahuman/core/contract/verification";

/** Whether a function is a draft that may be promoted. */
export function canPromote({ trust, status }: Pick<FunctionMemory, "trust" | "status">): boolean {
  return trust === "draft" && status === "active";
}

/** Whether the last report shows that the function fails. A report about an earlier version does not count. */
export function hasFailed({ verification }: FunctionMemory, reportIsStale: boolean): boolean {
  return verification?.ok === false && !isInconclusive(verification) && !reportIsStale;
}
