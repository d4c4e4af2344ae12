import { z } from "zod";
import { FunctionCode, FunctionParameter } from "./function.ts";

/** A range in a function's code. Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export const CodePlace = z.strictObject({
  part: z.enum(["source", "tests"]),
  line: z.int().positive(),
  column: z.int().positive(),
  endLine: z.int().positive(),
  endColumn: z.int().positive(),
});
export type CodePlace = z.infer<typeof CodePlace>;

/** A problem in a function's code. */
export const CodeProblem = z.strictObject({
  /** Absent if the problem concerns the whole code. */
  at: CodePlace.optional(),
  message: z.string(),
});
export type CodeProblem = z.infer<typeof CodeProblem>;

/** A function's code during editing, to inspect without running it. */
export const CodeToInspect = z.strictObject({
  source: FunctionCode.shape.source.max(200_000),
  tests: FunctionCode.shape.tests.max(200_000).default(""),
  grants: FunctionCode.shape.grants.max(50).default([]),
  /** The parameters with their names so far; the check of `main` includes only those with a valid name. */
  parameters: z
    .array(FunctionParameter.extend({ name: z.string().max(100) }))
    .max(50)
    .default([]),
});
export type CodeToInspect = z.infer<typeof CodeToInspect>;

/** The result of an inspection: the static checks of a verification, without its tests. */
export const CodeInspection = z.strictObject({
  problems: z.array(
    z.strictObject({ check: z.enum(["syntax", "types", "lint", "grants"]), ...CodeProblem.shape }),
  ),
  /** Skills that the source calls without a grant, sorted by name. */
  ungranted: z.array(z.string()),
});
export type CodeInspection = z.infer<typeof CodeInspection>;
