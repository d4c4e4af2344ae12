import { z } from "zod";
import type { FunctionSources, InspectedSources } from "./code-tools.ts";

export type CodeWork =
  | { kind: "compile"; sources: FunctionSources }
  | { kind: "snippet"; code: string }
  | { kind: "inspect"; sources: InspectedSources };
export type CodeRequest = CodeWork & { number: number };

const Problem = z.strictObject({ place: z.string(), message: z.string() });

export const CodeReply = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("ready") }),
  z.strictObject({
    kind: z.literal("compiled"),
    number: z.int(),
    problems: z.array(Problem),
    module: z.string(),
    places: z.array(z.string()),
  }),
  z.strictObject({
    kind: z.literal("inspected"),
    number: z.int(),
    report: z.strictObject({
      syntax: z.array(Problem),
      types: z.array(Problem),
      lint: z.array(Problem),
      skills: z.array(z.string()),
    }),
  }),
]);
export type CodeReply = z.infer<typeof CodeReply>;
