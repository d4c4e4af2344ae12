import { DoneRequest } from "@metahuman/core/runs/activity";
import { z } from "zod";

export const Period = z.strictObject({
  from: z.iso.datetime(),
  until: z.iso.datetime(),
  label: z.string().describe("In words"),
});
export const About = z.enum(["requests", "files", "tasks", "all"]);
/** What was done to a thing. */
export const Did = z.enum(["create", "change", "delete", "finish"]);
export type ActionKind = z.infer<typeof Did>;

const Change = z.strictObject({ at: z.iso.datetime(), sentence: z.string() });

/** What is stored of a period. */
export const Activity = z.strictObject({
  period: Period.optional().describe("Absent: all that is stored"),
  about: About,
  did: Did.optional(),
  query: z.string().optional(),
  requests: z.array(DoneRequest).describe("Newest first"),
  total: z.int().nonnegative(),
  oldest: z.iso.datetime().optional().describe("When the oldest stored request was made"),
  files: z.array(Change.extend({ path: z.string(), earlier: z.array(Change) })).optional(),
  tasks: z.array(z.strictObject({ id: z.string(), title: z.string(), at: z.iso.datetime() })).optional(),
});
export type Activity = z.infer<typeof Activity>;
