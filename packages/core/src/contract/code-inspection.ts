import { z } from "zod";
import { FunctionCode, FunctionParameter } from "./function.ts";

/** A stretch of a function's code. Lines and columns count from 1, columns in UTF-16 units; the end is just after it. */
export const CodePlace = z.strictObject({
  part: z.enum(["source", "tests"]),
  line: z.int().positive(),
  column: z.int().positive(),
  endLine: z.int().positive(),
  endColumn: z.int().positive(),
});
export type CodePlace = z.infer<typeof CodePlace>;

export const CodeProblem = z.strictObject({
  /** Missing where it concerns the whole. */
  at: CodePlace.optional(),
  message: z.string(),
});
export type CodeProblem = z.infer<typeof CodeProblem>;

/** A function's code while it is written: what is looked at, and none of it run. */
export const CodeToInspect = z.strictObject({
  source: FunctionCode.shape.source.max(200_000),
  tests: FunctionCode.shape.tests.max(200_000).default(""),
  grants: FunctionCode.shape.grants.max(50).default([]),
  /** Named as far as somebody has come with them: `main` is held to those that have a proper name. */
  parameters: z
    .array(FunctionParameter.extend({ name: z.string().max(100) }))
    .max(50)
    .default([]),
});
export type CodeToInspect = z.infer<typeof CodeToInspect>;

/** What was found without running it: the same checks that verification makes, save for the tests. */
export const CodeInspection = z.strictObject({
  problems: z.array(
    z.strictObject({ check: z.enum(["syntax", "types", "lint", "grants"]), ...CodeProblem.shape }),
  ),
  /** Skills that the source calls and that are not among the grants, in order of their names. */
  ungranted: z.array(z.string()),
});
export type CodeInspection = z.infer<typeof CodeInspection>;
