import { z } from "zod";
import { Verification } from "./function.ts";

/** One check of a report. */
export const FunctionCheck = Verification.shape.checks.element;
export type FunctionCheck = z.infer<typeof FunctionCheck>;

type Checks = Pick<Verification, "checks">;

/** The failed checks that say something about the function. */
export function conclusiveFailures({ checks }: Checks): Verification["checks"] {
  return checks.filter(({ ok, inconclusive }) => !ok && !inconclusive);
}

/** Whether a report decides nothing: some of its checks could not be carried out, and no other one failed. */
export function isInconclusive(report: Checks): boolean {
  return report.checks.some(({ inconclusive }) => inconclusive) && conclusiveFailures(report).length === 0;
}

const CheckedFunction = z.strictObject({ id: z.string(), title: z.string(), reason: z.string() });

/** How far verified functions have been checked anew under rules that are stricter than those of their reports. */
export const Reverification = z.strictObject({
  status: z.enum(["running", "done"]),
  total: z.int().nonnegative(),
  checked: z.int().nonnegative(),
  /** What no longer passes: a draft again, with the reason. */
  demoted: z.array(CheckedFunction),
  /** What could not be checked: it stays in service and is checked again at the next start. */
  inconclusive: z.array(CheckedFunction),
});
export type Reverification = z.infer<typeof Reverification>;

/** What a verification tells while it goes on: a check that takes its time when it begins, every one when it ends. */
export const CheckEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("check-started"), name: z.string() }),
  z.strictObject({ type: z.literal("check-ended"), check: FunctionCheck }),
]);
export type CheckEvent = z.infer<typeof CheckEvent>;
