import { z } from "zod";
import { Verification } from "./function.ts";

/** One check of a report. */
export const FunctionCheck = Verification.shape.checks.element;
export type FunctionCheck = z.infer<typeof FunctionCheck>;

/** What a verification tells while it goes on: a check that takes its time when it begins, every one when it ends. */
export const CheckEvent = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("check-started"), name: z.string() }),
  z.strictObject({ type: z.literal("check-ended"), check: FunctionCheck }),
]);
export type CheckEvent = z.infer<typeof CheckEvent>;
