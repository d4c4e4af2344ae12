import { ConflictError, InvalidArgsError } from "@metahuman/core/errors/request-errors";
import type { ApprovalDecision } from "@metahuman/core/contract/approval";
import { type FunctionApproval, toFunctionApproval } from "@metahuman/core/contract/function-approval";
import type { FunctionActor, FunctionsPort } from "@metahuman/core/functions/functions-port";

/** Functions that wait for approval. */
export interface FunctionApprovals {
  /** Returns at most 100, newest first. */
  list(): Promise<FunctionApproval[]>;
  /** Throws `FunctionNotFoundError`. */
  get(id: string): Promise<FunctionApproval>;
  /**
   * `once` approves the function, `deny` rejects it. Throws `InvalidArgsError` for another decision, and
   * `ConflictError` for a function that does not wait for approval.
   */
  decide(
    id: string,
    decision: ApprovalDecision,
    actor: FunctionActor,
    reason?: string,
  ): Promise<FunctionApproval>;
}

const MAX_LISTED = 100;

/** `functions` must contain the functions of every agent. */
export function createFunctionApprovals(functions: FunctionsPort): FunctionApprovals {
  return {
    async list() {
      const { items } = await functions.listFunctions({
        status: "pending_approval",
        sort: "created",
        limit: MAX_LISTED,
      });
      return items.map(toFunctionApproval);
    },
    get: async (id) => toFunctionApproval(await functions.loadFunction(id)),
    async decide(id, decision, actor, reason) {
      if (decision === "run" || decision === "always")
        throw new InvalidArgsError("A function is approved for good: neither for a run nor always.", {
          suggestions: ["Decide once to approve it, or deny to reject it."],
        });
      const { title, status } = await functions.loadFunction(id);
      if (status !== "pending_approval") throw new ConflictError(`“${title}” does not wait for approval.`);
      const decided =
        decision === "once"
          ? await functions.approveFunction(id, actor, reason)
          : await functions.rejectFunction(id, actor, reason);
      return toFunctionApproval(decided);
    },
  };
}
