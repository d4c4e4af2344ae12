import { CodePlace, CodeProblem } from "@metahuman/core/contract/code-inspection";
import { z } from "zod";
import type { FunctionSources, InspectedSources } from "./code-tools.ts";

export type CodeWork =
  | { kind: "compile"; sources: FunctionSources }
  | { kind: "snippet"; code: string }
  | { kind: "inspect"; sources: InspectedSources };
export type CodeRequest = CodeWork & { number: number };

export const CodeReply = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({
    kind: z.literal("compiled"),
    number: z.int(),
    problems: z.array(CodeProblem),
    module: z.string(),
    places: z.array(z.string()),
    skills: z.array(z.string()),
    hidesSkills: z.boolean(),
    tests: z.strictObject({ name: z.string(), end: z.string() }).optional(),
  }),
  /** A part of `inspected`, sent as soon as it is available. */
  z.strictObject({
    kind: z.literal("found"),
    number: z.int(),
    part: z.enum(["syntax", "types", "lint"]),
    problems: z.array(CodeProblem),
  }),
  z.strictObject({
    kind: z.literal("inspected"),
    number: z.int(),
    report: z.strictObject({
      syntax: z.array(CodeProblem),
      types: z.array(CodeProblem),
      lint: z.array(CodeProblem),
      skills: z.array(z.strictObject({ skill: z.string(), at: CodePlace })),
    }),
  }),
]);
export type CodeReply = z.infer<typeof CodeReply>;
