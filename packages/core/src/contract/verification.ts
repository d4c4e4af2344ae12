import { z } from "zod";
import { Verification } from "./function.ts";

/** One check of a report. */
export const FunctionCheck = Verification.shape.checks.element;
export type FunctionCheck = z.infer<typeof FunctionCheck>;

type Checks = Pick<Verification, "checks">;

/** Returns the failed checks that are conclusive for the function. */
export function conclusiveFailures({ checks }: Checks): Verification["checks"] {
  return checks.filter(({ ok, inconclusive }) => !ok && !inconclusive);
}

/** True if a report is inconclusive: some checks could not run and no other check failed. */
export function isInconclusive(report: Checks): boolean {
  return (
    report.checks.some(({ ok, inconclusive }) => !ok && inconclusive) &&
    conclusiveFailures(report).length === 0
  );
}

const CheckedFunction = z.strictObject({ id: z.string(), title: z.string(), reason: z.string() });

/** The progress of re-verifying functions whose reports predate stricter rules. */
export const Reverification = z.strictObject({
  status: z.enum(["running", "done"]),
  total: z.int().nonnegative(),
  checked: z.int().nonnegative(),
  /** Functions that no longer pass. They become drafts, with the reason. */
  demoted: z.array(CheckedFunction),
  /** Functions that could not be checked. They stay active and are checked again at the next start. */
  inconclusive: z.array(CheckedFunction),
});
export type Reverification = z.infer<typeof Reverification>;

/** Progress of a verification: long checks report their start, every check its end. */
export const CheckEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("check-started"), name: z.string() }),
  z.strictObject({ type: z.literal("check-ended"), check: FunctionCheck }),
]);
export type CheckEvent = z.infer<typeof CheckEvent>;
