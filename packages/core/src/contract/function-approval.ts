import { z } from "zod";
import { FunctionKind, FunctionMemory, FunctionStatus } from "./function.ts";
import { FunctionId, Timestamp } from "./ids.ts";
import { permissionsOf } from "./function-permissions.ts";

/** A function that an agent registered and a person has to approve. */
export const FunctionApproval = z.strictObject({
  id: FunctionId,
  name: FunctionMemory.shape.name,
  title: z.string(),
  summary: z.string(),
  kind: FunctionKind,
  status: FunctionStatus,
  version: z.int().positive(),
  /** The skills, secrets and hosts that it may use; empty for a guide and for code that only computes. */
  uses: z.array(z.string()),
  /** The names of the failed checks; absent before verification. */
  failedChecks: z.array(z.string()).optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  sourceOperatorRunId: z.string().optional(),
});
export type FunctionApproval = z.infer<typeof FunctionApproval>;

/** Returns a function in the form in which its approval is shown. */
export function toFunctionApproval(found: FunctionMemory): FunctionApproval {
  const { id, name, title, summary, kind, status, version, verification, sourceOperatorRunId } = found;
  return {
    id,
    name,
    title,
    summary,
    kind,
    status,
    version,
    uses: permissionsOf(found),
    ...(verification && {
      failedChecks: verification.checks.filter(({ ok }) => !ok).map((check) => check.name),
    }),
    createdBy: found.createdBy,
    createdAt: found.createdAt,
    ...(sourceOperatorRunId !== undefined && { sourceOperatorRunId }),
  };
}
