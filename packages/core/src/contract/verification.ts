import { z } from "zod";
import { Verification } from "./function.ts";

/** One check of a report. */
export const FunctionCheck = Verification.shape.checks.element;
export type FunctionCheck = z.infer<typeof FunctionCheck>;

/** How far verified functions have been checked anew under rules that are stricter than those of their reports. */
export const Reverification = z.strictObject({
  status: z.enum(["running", "done"]),
  total: z.int().nonnegative(),
  checked: z.int().nonnegative(),
  /** What no longer passes: a draft again, with the reason. */
  demoted: z.array(z.strictObject({ id: z.string(), title: z.string(), reason: z.string() })),
});
export type Reverification = z.infer<typeof Reverification>;

/** What a verification tells while it goes on: a check that takes its time when it begins, every one when it ends. */
export const CheckEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("check-started"), name: z.string() }),
  z.strictObject({ type: z.literal("check-ended"), check: FunctionCheck }),
]);
export type CheckEvent = z.infer<typeof CheckEvent>;
